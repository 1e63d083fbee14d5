"""Groups of commands: a wrong word gets a suggestion, and a help ends with what all share."""

from __future__ import annotations

import click

from tadoru.errors import BadInput

SHARED_LINE = "Besides: --root, --json, --no-index, --as, --yes; see tadoru --help."


class Family(click.Group):
    """A group whose unknown commands are answered with the one that is near."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            raise BadInput(f"no such command: {name}", hint=self.instead_of(name))
        return super().resolve_command(ctx, args)

    def instead_of(self, name: str) -> str:
        """Return what to say about a command that does not exist."""
        from difflib import get_close_matches

        near = get_close_matches(name, self.list_commands(click.get_current_context()), n=1)
        if near:
            return f"did you mean `{near[0]}`?"
        return f"`{click.get_current_context().command_path} --help` lists the commands"

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        return command and with_shared_line(command)


def with_shared_line(command: click.Command) -> click.Command:
    """Let a command's help name the shared options in one line at its end."""
    shared = any(parameter.name == "no_index" for parameter in command.params)
    if shared and command.epilog is None:
        command.epilog = SHARED_LINE
    return command
