"""Workspace: mounts, a principal and a history. What every face talks to.

It brings each source up to date, makes the View of its principal, hands it to one capability, and
puts the state of the index on the answer. What one capability needs of another (a suggestion under
"No such file", `search` inside the shell, the history that resolve reads) is handed in here, as a
function. It ranks nothing and formats nothing. A module for each job; `core` is what they share.
"""

from __future__ import annotations

from tadoru.workspace.looks import Looks
from tadoru.workspace.shell import Shell
from tadoru.workspace.structure import Structure
from tadoru.workspace.upkeep import Upkeep


class Workspace(Looks, Shell, Structure, Upkeep):
    """Mounts as one principal sees them. Threads may share one; close it when done."""


__all__ = ["Workspace"]
