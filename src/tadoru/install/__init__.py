"""Room for what writes tadoru into the configuration of an agent: MCP entry, hooks, two lines."""
