"""Writes tadoru into the configuration of an agent: MCP server, hooks, two lines; and takes it out.

Knows where each agent keeps what (`agents`), how tadoru is started (`launch`), and how to edit
JSON with comments, TOML and instruction files so that everything else stays (`json_edits`,
`toml_edits`, `marked`). Decides nothing about what an agent does with it.
"""

from pathlib import Path

from tadoru.install.agents import AGENTS, Agent, Places, detected, named
from tadoru.install.files import Unwritable
from tadoru.install.launch import Invocation, Via, invocation
from tadoru.install.plan import Change, Plan
from tadoru.install.record import RECORD, Record

PLUGIN = Path(__file__).parent / "plugin"
"""The folder of a Claude Code plugin: server, hooks and skill."""

__all__ = [
    "AGENTS",
    "PLUGIN",
    "RECORD",
    "Agent",
    "Change",
    "Invocation",
    "Places",
    "Plan",
    "Record",
    "Unwritable",
    "Via",
    "detected",
    "invocation",
    "named",
]
