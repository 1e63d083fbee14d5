"""`tadoru completion`: the script that lets a shell complete commands, options and paths."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from tadoru.cli.output import out_text
from tadoru.errors import BadInput

VARIABLE = "_TADORU_COMPLETE"
"""Set by the script: what the shell wants to know."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the script that completes words in bash, zsh or fish.

    \b
    bash: tadoru completion bash > ~/.local/share/bash-completion/completions/tadoru
    zsh:  tadoru completion zsh > "${fpath[1]}/_tadoru"
    fish: tadoru completion fish > ~/.config/fish/completions/tadoru.fish

    Example: eval "$(tadoru completion bash)"
    """
    from tadoru.cli.app import tadoru

    kind = get_completion_class(shell)
    if kind is None:
        raise BadInput(f"no completion for {shell}")
    out_text(kind(tadoru, {}, "tadoru", VARIABLE).source())
    return 0
