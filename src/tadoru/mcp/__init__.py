"""The Model Context Protocol face: short tools over a Workspace, nothing but protocol on stdout.

`tools` turns calls into text without knowing the protocol, `server` registers them with the SDK,
`serve` runs one process for one client. Importing this package loads none of them.
"""
