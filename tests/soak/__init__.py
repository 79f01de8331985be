"""`make soak`: the same proofs as `make test`, longer. TIER=C before a release candidate, TIER=S before a release."""
