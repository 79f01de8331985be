"""What an operation or query answers, and exactly what goes on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainSerializer

from agentroom.core.clock import rfc3339

Instant = Annotated[datetime, PlainSerializer(rfc3339, return_type=str, when_used="json")]


class Output(BaseModel):
    """A frozen record. Members that are None are left off the wire: agents pay for every byte."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)
