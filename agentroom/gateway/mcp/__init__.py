"""How agents reach the server: MCP over HTTP, both revisions of the protocol, without sessions."""
