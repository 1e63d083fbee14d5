"""Hooks of AI agents: a failed read becomes a suggestion in the agent's own JSON.

Standard library only, within 40 ms of CPU, and fail open: whatever goes wrong, the hook says
nothing and exits 0, so that it never stands in an agent's way.
"""
