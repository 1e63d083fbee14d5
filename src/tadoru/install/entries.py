"""Our entries in a configuration text: added, brought up to date, taken out.

From text to text. What belongs to others is never touched; of an entry of ours that somebody has
changed, the change is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tadoru.install import json_edits, toml_edits
from tadoru.install.agents import Hooks, Server
from tadoru.install.json_tree import Pointer, find, loads, parse
from tadoru.install.launch import is_ours
from tadoru.install.record import Footprint

NAME = "tadoru"


def has_server(text: str, server: Server) -> bool:
    """Tell whether a text names our server."""
    table = toml_edits.loads(text) if server.toml else loads(text)
    servers = table.get(server.key) if isinstance(table, dict) else None
    return isinstance(servers, dict) and NAME in servers


def with_server(
    text: str, mark: Footprint, *, server: Server, command: str, args: list[str]
) -> str:
    """Add our entry; of one that is there, keep what follows `mcp`, and everything else."""
    if server.toml:
        return _with_toml_server(text, server, command, args)
    pointer: Pointer = (server.key, NAME)
    existing = find(parse(text), pointer)
    if existing is None or not existing.is_object:
        entry = {**dict(server.fields), "command": command, "args": [*args, *server.tail]}
        return _put(text, pointer, entry, mark)
    for name, value in server.fields:
        if name not in existing.value:
            text = json_edits.put(text, (*pointer, name), value)
    text = json_edits.put(text, (*pointer, "command"), command)
    args = [*args, *_tail(existing.value.get("args"), server)]
    return json_edits.put(text, (*pointer, "args"), args)


def _with_toml_server(text: str, server: Server, command: str, args: list[str]) -> str:
    path = (server.key, NAME)
    servers = toml_edits.loads(text).get(server.key, {})
    existing = servers.get(NAME) if isinstance(servers, dict) else None
    if not isinstance(existing, dict):
        args = [*args, *server.tail]
        return toml_edits.put_table(text, path, {"command": command, "args": args})
    text = toml_edits.put(text, (*path, "command"), command)
    return toml_edits.put(text, (*path, "args"), [*args, *_tail(existing.get("args"), server)])


def _tail(args: Any, server: Server) -> Sequence[str]:
    """Return what an entry has after `mcp`: the user's own choice."""
    if isinstance(args, list) and "mcp" in args:
        return [str(word) for word in args[args.index("mcp") + 1 :]]
    return server.tail


def _put(text: str, pointer: Pointer, value: Any, mark: Footprint) -> str:
    """Put a value where its parents may be missing, and note what had to be made."""
    root = parse(text)
    depth = 0
    while depth < len(pointer) - 1 and find(root, pointer[: depth + 1]) is not None:
        depth += 1
    for missing in range(depth + 1, len(pointer)):
        mark.made.append(pointer[:missing])
    for key in reversed(pointer[depth + 1 :]):
        value = {key: value}
    parent = find(root, pointer[:depth])
    if root is None:
        mark.made.insert(0, ())
    elif parent is not None and parent.is_object and not parent.slots:
        mark.inner.setdefault(_named(pointer[:depth]), json_edits.inside(text, parent))
    return json_edits.put(text, pointer[: depth + 1], value)


def with_hooks(text: str, mark: Footprint, *, hooks: Hooks, command: str, agent: str) -> str:
    """Add our command to every event; one that is there is brought up to date."""
    if hooks.versioned and find(parse(text), ("version",)) is None:
        text = _put(text, ("version",), 1, mark)
        mark.made.append(("version",))
    for event, wrap in hooks.events:
        pointer: Pointer = ("hooks", event)
        places = list(_ours(text, pointer, agent))
        if places:
            item, inner, name = places[0]
            within: Pointer = () if inner is None else ("hooks", inner)
            text = json_edits.put(text, (*pointer, item, *within, name), command)
        elif find(parse(text), pointer) is None:
            text = _put(text, pointer, [wrap(command)], mark)
            mark.made.append(pointer)
        else:
            node = find(parse(text), pointer)
            if node is not None and not node.slots:
                mark.inner.setdefault(_named(pointer), json_edits.inside(text, node))
            text = json_edits.append(text, pointer, wrap(command))
    return text


def _ours(text: str, pointer: Pointer, agent: str) -> Iterator[tuple[int, int | None, str]]:
    """Yield where our commands are in an event: item, position in its own `hooks`, and key."""
    node = find(parse(text), pointer)
    for number, item in enumerate(node.value if node and node.is_list else []):
        if not isinstance(item, dict):
            continue
        for name in ("command", "bash"):
            if is_ours(item.get(name), agent):
                yield number, None, name
        inner = item.get("hooks")
        for position, handler in enumerate(inner if isinstance(inner, list) else []):
            if isinstance(handler, dict) and is_ours(handler.get("command"), agent):
                yield number, position, "command"


def without_server(text: str, mark: Footprint, *, server: Server) -> str:
    """Take out our entry, and what was made to hold it."""
    if server.toml:
        return toml_edits.remove_table(text, (server.key, NAME))
    if find(parse(text), (server.key, NAME)) is None:
        return text
    text = json_edits.remove(text, (server.key, NAME), inner=mark.inner.get(server.key, ""))
    return _tidied(text, mark)


def without_hooks(text: str, mark: Footprint, *, hooks: Hooks, agent: str) -> str:
    """Take out our commands, and what was made to hold them."""
    for event, _wrap in hooks.events:
        pointer: Pointer = ("hooks", event)
        while places := list(_ours(text, pointer, agent)):
            item, inner, _name = places[-1]
            text = _without_handler(text, pointer, item, inner, mark)
    return _tidied(text, mark)


def _without_handler(
    text: str, pointer: Pointer, item: int, inner: int | None, mark: Footprint
) -> str:
    """Take out an item, or only our part of one that others share."""
    node = find(parse(text), pointer)
    if node is None:
        return text
    if inner is not None and len(node.value[item]["hooks"]) > 1:
        return json_edits.remove(text, (*pointer, item, "hooks"), item=inner)
    return json_edits.remove(text, pointer, item=item, inner=mark.inner.get(_named(pointer), ""))


def _tidied(text: str, mark: Footprint) -> str:
    """Remove what was made for our entries and holds nothing now."""
    for pointer in sorted(mark.made, key=lambda p: (-len(p), p == ("version",))):
        root = parse(text)
        node = find(root, pointer) if root is not None else None
        if node is None or root is None:
            continue
        alone = not pointer or len(root.slots) == 1
        if not (node.value in ({}, []) or (pointer == ("version",) and alone)):
            continue
        if not pointer:
            text = json_edits.without_root(text)
        else:
            inner = mark.inner.get(_named(pointer[:-1]), "")
            text = json_edits.remove(text, pointer, inner=inner)
    return text


def _named(pointer: Pointer) -> str:
    return "/".join(map(str, pointer))
