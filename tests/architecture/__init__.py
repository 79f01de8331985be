"""Rules of the house that a linter does not know."""
