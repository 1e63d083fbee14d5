"""The face for networks: MCP over HTTP, a JSON API, and a page that explains, on one port.

Who asks is decided at the gate, once, before anything else looks at a request; what he may see is
decided by his view, as everywhere. Nothing is kept between two requests but caches and counters.
"""
