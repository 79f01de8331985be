"""Throw-away servers for the tests: started on free loopback ports, ended by their own pid."""
