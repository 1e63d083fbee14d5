"""`tree -J`: the same tree as JSON, byte for byte as version 2.1 of the program writes it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tadoru.errors import TadoruError
from tadoru.shell.commands import facts
from tadoru.shell.commands.context import encode
from tadoru.shell.commands.tree import Drawing
from tadoru.shell.space import link_text
from tadoru.types import Entry, Kind

_KINDS = {Kind.FILE: "file", Kind.DIRECTORY: "directory", Kind.LINK: "link"}


class JsonDrawing(Drawing):
    """A drawing whose lines are objects."""

    async def run(self, operands: list[str]) -> int:
        code, write = 0, self._ctx.write
        plain = "no-indent" not in self._flags
        self._end = "\n" if plain else ""
        await write(encode(f"[{self._end}"))
        for number, operand in enumerate(operands):
            await write(encode(f",{self._end}" if number else ""))
            try:
                entry: Entry | None = self._ctx.lookup(operand, follow=False)
            except TadoruError:
                entry = None
            if entry is not None and entry.is_dir:
                for line in self._objects(operand, entry):
                    self._ctx.deadline.check()
                    await write(encode(line))
                continue
            self._files += entry is not None
            code = 2 if entry is None else code
            kind = f'  {{"type":"{_KINDS[entry.kind]}"' if entry is not None else ""
            fault = f',"contents":[{{"error": "error opening dir"}}{self._end}{self._end}'
            await write(encode(f'{kind},"name":{json.dumps(operand)}{fault}  ]}}'))
        if "no-report" in self._flags:
            await write(encode(f"{self._end}{self._end}]\n"))
        else:
            await write(encode(f"{self._end},{self._end}{self._closing()}{self._end}]\n"))
        return code

    def _closing(self) -> str:
        files = "" if "directories" in self._flags else f',"files":{self._files}'
        used = f',"size":{self._bytes}' if "du" in self._flags else ""
        indent = "  " if self._end else ""
        return f'{indent}{{"type":"report"{used},"directories":{self._directories}{files}}}'

    def _objects(self, shown: str, start: Entry) -> Iterator[str]:
        """Yield the pieces of one operand's object, without recursion over the depth."""
        rows = self._rows(start)
        self._directories += bool(rows)
        yield self._opened(shown, start, depth=1)
        yield f',"contents":[{self._end}'
        stack = [(shown, iter(rows), len(rows))]
        while stack:
            name, below, left = stack.pop()
            child = next(below, None)
            depth = len(stack) + 1
            if child is None:
                comma = f",{self._end}" if stack and stack[-1][2] else self._end
                yield f"{self._indent(depth)}]}}{comma if stack else ''}"
                continue
            left -= 1
            stack.append((name, below, left))
            outer = f"{name.rstrip('/')}/{child.name}" if name != "/" else f"/{child.name}"
            yield self._opened(outer, child, depth=depth + 1)
            self._count(child)
            inside = self._rows(child) if self._enters(child) and depth < self._plan.level else []
            if inside:
                yield f',"contents":[{self._end}'
                stack.append((outer, iter(inside), len(inside)))
            else:
                yield f"}}{',' if left else ''}{self._end}"

    def _indent(self, depth: int) -> str:
        return "  " * depth if self._end else ""

    def _opened(self, outer: str, entry: Entry, *, depth: int) -> str:
        name = outer if depth == 1 or "full" in self._flags else entry.name
        parts = [f'"type":"{_KINDS[entry.kind]}"', f'"name":{_quoted(name)}']
        if entry.kind is Kind.LINK:
            parts.append(f'"target":{_quoted(link_text(entry))}')
        flags = self._flags
        if "mode" in flags:
            text = facts.mode_text(entry, self._ctx.space)
            parts += [f'"mode":"{_octal(text)}"', f'"prot":"{text}"']
        if "owner" in flags:
            parts.append(f'"user":"{facts.OWNER}"')
        if "group" in flags:
            parts.append(f'"group":"{facts.OWNER}"')
        if flags & {"size", "human", "si", "du"}:
            size = self._size(entry)
            unit = self._plan.unit
            parts.append(f'"size":{_quoted(facts.human(size, unit=unit)) if unit else size}')
        if "date" in flags:
            parts.append(f'"time":{_quoted(facts.short_date(entry.mtime_ns))}')
        return f"{self._indent(depth)}{{{','.join(parts)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _octal(text: str) -> str:
    """Return `-rw-r--r--` as `0644`."""
    bits = [letter != "-" for letter in text[1:10]]
    return f"{sum(bit << (8 - place) for place, bit in enumerate(bits)):04o}"
