"""The tree of an expression, shared by all syntaxes. Knows nothing of how it is written or run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tadoru.shell.regex.charset import Ranges, single


class PatternError(ValueError):
    """An expression that its syntax does not allow; the text is the oracle's own."""


class At(Enum):
    """A place between characters."""

    LINE_START = "^"
    LINE_END = "$"
    TEXT_START = r"\A"
    TEXT_END = r"\z"
    WORD_START = r"\<"
    WORD_END = r"\>"
    BOUNDARY = r"\b"
    NOT_BOUNDARY = r"\B"


WORD_PLACES = frozenset({At.WORD_START, At.WORD_END, At.BOUNDARY, At.NOT_BOUNDARY})


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set; an empty set never matches."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Place:
    """An assertion about the place between two characters."""

    at: At
    ascii_only: bool = False
    """Whether only ASCII letters and digits make words (`-P`, `(?-u)`)."""


@dataclass(frozen=True, slots=True)
class Cat:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    node: Node
    low: int
    high: int | None
    """None: without end."""
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A group that can be referred to by its number."""

    node: Node
    number: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Backref:
    number: int
    fold: bool = False
    """Letter case is ignored."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that only the backtracking engine understands; may match any text.

    `inner`: what the line must hold somewhere, as a look-ahead does. `empty`: takes no text.
    """

    inner: Node | None = None
    empty: bool = False


Node = Chars | Place | Cat | Alt | Repeat | Group | Backref | Opaque

EMPTY = Cat(())
NEVER = Chars(())


def char(code: int) -> Chars:
    return Chars(single(code))


def cat(parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else Cat(tuple(parts))


def alt(branches: list[Node]) -> Node:
    return branches[0] if len(branches) == 1 else Alt(tuple(branches))


def walk(node: Node) -> Iterator[Node]:
    """Yield a tree's nodes, each before its children, without recursion."""
    stack: list[Node] = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(children(here)))


def children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Cat):
        return node.parts
    if isinstance(node, Alt):
        return node.branches
    if isinstance(node, (Repeat, Group)):
        return (node.node,)
    return ()


def needs_backtracking(node: Node) -> bool:
    return any(isinstance(part, (Backref, Opaque)) for part in walk(node))


def groups(node: Node) -> dict[int, Node]:
    """Return what each numbered group holds."""
    return {part.number: part.node for part in walk(node) if isinstance(part, Group)}


def group_names(node: Node) -> dict[int, str]:
    """Return the names of the numbered groups; empty for those without one."""
    return {part.number: part.name for part in walk(node) if isinstance(part, Group)}


def nullable(node: Node) -> bool:
    """Tell whether the empty string can match; true where that depends on the place."""
    if isinstance(node, Chars):
        return False
    if isinstance(node, Cat):
        return all(nullable(part) for part in node.parts)
    if isinstance(node, Alt):
        return any(nullable(branch) for branch in node.branches)
    if isinstance(node, Repeat):
        return node.low == 0 or nullable(node.node)
    if isinstance(node, Group):
        return nullable(node.node)
    return True
