"""`tadoru read`: the text of a file."""

from __future__ import annotations

import re

import click

from tadoru.cli.options import Session, complete_file, shared_options
from tadoru.cli.output import note, note_state, out_json, out_text
from tadoru.errors import BadInput

_LINES = re.compile(r"(\d*)[-:](\d*)|(\d+)")


@click.command()
@click.argument("path", shell_complete=complete_file)
@click.option("--lines", metavar="A-B", help="Only these lines, as in 10-20, 10- or -20.")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Stop after so many.")
@click.option("-n", "--number", is_flag=True, help="Number the lines.")
@click.option("--recover", is_flag=True, help="Read the right file when the path is wrong.")
@shared_options
def read(
    session: Session,
    path: str,
    lines: str | None,
    budget: int | None,
    number: bool,
    recover: bool,
) -> int:
    """Print a file, or a window of its lines.

    Example: tadoru read src/app.py --lines 40-80 -n
    """
    start, end = parse_lines(lines) if lines else (1, None)
    answer = session.open().read(
        session.tree_path(path), start=start, end=end, budget=budget, recover=recover
    )
    if session.as_json:
        out_json(answer)
    else:
        text = numbered(answer.text, answer.start_line) if number else answer.text
        out_text(text, exact=True)
    if answer.recovered_from:
        note(f"tadoru: {answer.recovered_from} does not exist; this is {answer.path}")
    if answer.truncated:
        further = answer.end_line + 1
        note(f"tadoru: cut after line {answer.end_line} of {answer.total_lines}; "
             f"go on with --lines {further}-")  # fmt: skip
    note_state(answer.index)
    return 0


def parse_lines(text: str) -> tuple[int, int | None]:
    """Return first and last line of `10-20`, `10-`, `-20` or `10`."""
    match = _LINES.fullmatch(text.strip())
    if match is None or text.strip() in ("-", ":"):
        raise BadInput(f"--lines {text}: not a range", hint="write 10-20, 10-, -20 or 10")
    first, last, single = match.groups()
    if single:
        return max(int(single), 1), int(single)
    return max(int(first or 1), 1), int(last) if last else None


def numbered(text: str, start: int) -> str:
    """Return text with the line number and a tab before each line, as `cat -n` does."""
    rows = text.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    return "".join(f"{start + i:6d}\t{row}\n" for i, row in enumerate(rows))
