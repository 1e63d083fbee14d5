"""A read-only shell over a view's tree: `run` for a command line, `complete` for a half-typed one.

Decides what a command line may do and how long; the tree, and who sees what of it, come from the
view. `engine` runs, `bridge` gives bashkit our files, `space` says what a path means, `commands/`
holds the commands whose speed or meaning depends on the tree, `regex/` what `grep` matches with.
"""

from tadoru.shell.complete import complete
from tadoru.shell.engine import Suggest, run
from tadoru.shell.machine import Tool
from tadoru.shell.unfinished import unfinished

__all__ = ["Suggest", "Tool", "complete", "run", "unfinished"]
