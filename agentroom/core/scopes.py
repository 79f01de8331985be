"""What a passport may do: the bitmask of seed 000, "Identity: plate, passport, scopes"."""

from __future__ import annotations

from enum import IntFlag


class Scope(IntFlag):
    READ = 1
    WRITE = 2
    UPLOAD = 4
    DOWNLOAD = 8
    INVOKE = 16

    @property
    def names(self) -> list[str]:
        """The scope as APIs show it: an array of names, in bit order."""
        return [member.name for member in Scope if member in self and member.name]

    @classmethod
    def of(cls, names: list[str]) -> Scope:
        """The bitmask of an array of names. Raises KeyError for an unknown name."""
        mask = cls(0)
        for name in names:
            mask |= cls[name]
        return mask


ALL = Scope.READ | Scope.WRITE | Scope.UPLOAD | Scope.DOWNLOAD | Scope.INVOKE
# INVOKE stays off until the owner turns it on (00-product.md, "Scopes").
DEFAULT = Scope.READ | Scope.WRITE | Scope.UPLOAD | Scope.DOWNLOAD
