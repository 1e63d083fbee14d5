"""What the page shows, as data: five panels, each a question to the workspace of whoever asks.

A panel knows a workspace and plain parameters, and neither HTTP nor HTML. It sees what the
workspace's principal sees; host paths and addresses of stores are left out of every answer.
"""

from __future__ import annotations

from tadoru.web.panels.base import Panel, Parameter
from tadoru.web.panels.file import FILE
from tadoru.web.panels.health import HEALTH
from tadoru.web.panels.path import PATH
from tadoru.web.panels.search import SEARCH
from tadoru.web.panels.tree import TREE

panels: dict[str, Panel] = {panel.name: panel for panel in (SEARCH, PATH, FILE, TREE, HEALTH)}

__all__ = ["Panel", "Parameter", "panels"]
