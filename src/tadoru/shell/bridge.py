"""The Space of one command line as a filesystem of bashkit, over its stable C ABI, version 1.

bashkit takes a `PyCapsule` named `bashkit.FileSystem.v1` that points to a handle: version,
instance, retain, release, and a table of functions (bashkit's crates/bashkit/src/interop/fs.rs).
Here the table is one for the whole process and never freed, and an instance is a number, looked up
in a registry that bashkit's own reference count keeps alive; so no garbage collection on our side
can pull memory from under it. What is handed out is allocated with malloc and freed when bashkit
says so. No exception leaves a callback: whatever goes wrong becomes an error of the ABI.
Callbacks arrive on bashkit's threads.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char_p,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
    py_object,
)
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tadoru.errors import NotADirectoryHere, TadoruError
from tadoru.shell import writes
from tadoru.shell.lossless import escape, unescape
from tadoru.shell.space import Space, strerror
from tadoru.types import Entry, Kind

if TYPE_CHECKING:
    from bashkit import FileSystem

ABI_VERSION = 1
CAPSULE_NAME = b"bashkit.FileSystem.v1"
"""Kept for the life of the process: a capsule borrows its name."""

OK, FAILED = 0, 1
ERROR_KINDS = {"ENOENT": 1, "EEXIST": 2, "EACCES": 3, "EINVAL": 4, "EISDIR": 5, "ENOTDIR": 6}
ERROR_KINDS |= {"ENOTEMPTY": 7}
"""BashkitFsAbiErrorKind by errno; everything else is 0, Other, and shows by its message."""
FILE_TYPES = {Kind.FILE: 0, Kind.DIRECTORY: 1, Kind.LINK: 2}

_libc = ctypes.CDLL(None)
_malloc = _libc.malloc
_malloc.restype, _malloc.argtypes = c_void_p, [c_size_t]
_free = _libc.free
_free.restype, _free.argtypes = None, [c_void_p]


class _Bytes(Structure):
    """A borrowed or owned run of bytes."""

    _fields_ = [("ptr", c_void_p), ("len", c_size_t)]


class _Error(Structure):
    _fields_ = [("kind", c_uint32), ("message", _Bytes)]


class _Metadata(Structure):
    _fields_ = [
        ("file_type", c_uint8),
        ("reserved", c_uint8 * 7),
        ("size", c_uint64),
        ("mode", c_uint32),
        ("modified_secs", c_int64),
        ("modified_nanos", c_uint32),
        ("created_secs", c_int64),
        ("created_nanos", c_uint32),
    ]


class _DirEntry(Structure):
    _fields_ = [("name", _Bytes), ("metadata", _Metadata)]


_Status, _Path = c_uint32, _Bytes
_Reader = ctypes.CFUNCTYPE(_Status, c_void_p, _Path, POINTER(_Bytes), POINTER(_Error))
_Writer = ctypes.CFUNCTYPE(_Status, c_void_p, _Path, _Bytes, POINTER(_Error))
_Remover = ctypes.CFUNCTYPE(_Status, c_void_p, _Path, c_bool, POINTER(_Error))
_Stater = ctypes.CFUNCTYPE(_Status, c_void_p, _Path, POINTER(_Metadata), POINTER(_Error))
_Exister = ctypes.CFUNCTYPE(_Status, c_void_p, _Path, POINTER(c_bool), POINTER(_Error))
_Mover = ctypes.CFUNCTYPE(_Status, c_void_p, _Path, _Path, POINTER(_Error))
_Moder = ctypes.CFUNCTYPE(_Status, c_void_p, _Path, c_uint32, POINTER(_Error))
_Freer = ctypes.CFUNCTYPE(None, c_void_p, _Bytes)
_Counter = ctypes.CFUNCTYPE(None, c_void_p)


class _VTable(Structure):
    _fields_ = [
        ("read_file", _Reader),
        ("write_file", _Writer),
        ("append_file", _Writer),
        ("mkdir", _Remover),
        ("remove", _Remover),
        ("stat", _Stater),
        ("read_dir", _Reader),
        ("exists", _Exister),
        ("rename", _Mover),
        ("copy", _Mover),
        ("symlink", _Mover),
        ("read_link", _Reader),
        ("chmod", _Moder),
        ("free_bytes", _Freer),
        ("free_dir_entries", _Freer),
    ]


class _Handle(Structure):
    _fields_ = [
        ("abi_version", c_uint32),
        ("reserved", c_uint32),
        ("instance", c_void_p),
        ("retain", _Counter),
        ("release", _Counter),
        ("vtable", POINTER(_VTable)),
    ]


# -- instances -------------------------------------------------------------------------------------


class _Registry:
    """Spaces by number, each with how often bashkit holds it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 1
        self._held: dict[int, list[Any]] = {}

    def add(self, space: Space) -> int:
        with self._lock:
            number = self._next
            self._next += 1
            self._held[number] = [space, 1]
            return number

    def retain(self, number: int) -> None:
        with self._lock:
            self._held[number][1] += 1

    def release(self, number: int) -> None:
        with self._lock:
            held = self._held[number]
            held[1] -= 1
            if not held[1]:
                del self._held[number]

    def get(self, number: int) -> Space:
        space: Space = self._held[number][0]
        return space

    def __len__(self) -> int:
        return len(self._held)


instances = _Registry()
"""Alive file systems; empty when no interpreter is."""


# -- values across the border ----------------------------------------------------------------------


def _text(ref: _Bytes) -> str:
    data = ctypes.string_at(ref.ptr, ref.len) if ref.len else b""
    return data.decode("utf-8", "replace").strip("/")


def _give(out: _Bytes, data: bytes) -> None:
    """Hand a copy of `data` to bashkit, which frees it through `free_bytes`."""
    if not data:
        out.ptr, out.len = None, 0
        return
    address = _malloc(len(data))
    if not address:
        raise MemoryError
    ctypes.memmove(address, data, len(data))
    out.ptr, out.len = address, len(data)


def _describe(out: _Metadata, entry: Entry, space: Space) -> None:
    out.file_type = FILE_TYPES[entry.kind]
    out.size = entry.size
    out.mode = mode_of(entry, space)
    out.modified_secs, out.modified_nanos = divmod(entry.mtime_ns, 1_000_000_000)
    out.created_secs, out.created_nanos = out.modified_secs, out.modified_nanos


def mode_of(entry: Entry, space: Space) -> int:
    """Return permission bits: the tree has none but the executable bit, scratch keeps its own."""
    if entry.kind is Kind.LINK:
        return 0o777
    if entry.path not in space.tree and space.scratch.entry(entry.path) is not None:
        return space.scratch.mode(entry.path)
    if entry.kind is Kind.DIRECTORY or entry.executable:
        return 0o755
    return 0o644


def _fail(error: Any, kind: int, message: str) -> int:
    try:
        _give(error.contents.message, message.encode("utf-8", "replace"))
        error.contents.kind = kind
    except BaseException:
        error.contents.kind = 0
    return FAILED


def _guarded(work: Callable[..., None]) -> Callable[..., int]:
    """Wrap a callback: last argument is the error to fill, the result a status of the ABI."""

    def call(instance: int, *arguments: Any) -> int:
        try:
            work(instances.get(instance), *arguments[:-1])
        except TadoruError as error:
            return _fail(arguments[-1], ERROR_KINDS.get(error.errno_name, 0), strerror(error))
        except BaseException as error:
            return _fail(arguments[-1], 0, f"internal error: {type(error).__name__}")
        return OK

    return call


# -- the operations --------------------------------------------------------------------------------


def _read_file(space: Space, path: _Bytes, out: Any) -> None:
    data = space.read(_text(path))
    _give(out.contents, data if space.raw else escape(data))


def _content(space: Space, ref: _Bytes) -> bytes:
    data = ctypes.string_at(ref.ptr, ref.len) if ref.len else b""
    return data if space.raw else unescape(data)


def _write_file(space: Space, path: _Bytes, content: _Bytes) -> None:
    writes.write(space, _text(path), _content(space, content))


def _append_file(space: Space, path: _Bytes, content: _Bytes) -> None:
    writes.write(space, _text(path), _content(space, content), append=True)


def _mkdir(space: Space, path: _Bytes, recursive: bool) -> None:
    writes.make_directory(space, _text(path), parents=recursive)


def _remove(space: Space, path: _Bytes, recursive: bool) -> None:
    writes.remove(space, _text(path), recursive=recursive)


def _stat(space: Space, path: _Bytes, out: Any) -> None:
    _describe(out.contents, space.lookup(_text(path)), space)


def _exists(space: Space, path: _Bytes, out: Any) -> None:
    out.contents.value = space.find(_text(path)) is not None


def _rename(space: Space, source: _Bytes, target: _Bytes) -> None:
    writes.rename(space, _text(source), _text(target))


def _copy(space: Space, source: _Bytes, target: _Bytes) -> None:
    writes.write(space, _text(target), space.read(_text(source)))


def _symlink(space: Space, target: _Bytes, link: _Bytes) -> None:
    text = ctypes.string_at(target.ptr, target.len) if target.len else b""
    writes.make_link(space, _text(link), text.decode("utf-8", "replace"))


def _chmod(space: Space, path: _Bytes, mode: int) -> None:
    writes.change_mode(space, _text(path), mode)


def _read_link(space: Space, path: _Bytes, out: Any) -> None:
    _give(out.contents, space.link_text(_text(path)).encode("utf-8", "replace"))


def _followed(space: Space, entry: Entry) -> Entry:
    """Describe a link by what it leads to: bashkit's own commands never follow one."""
    if entry.kind is not Kind.LINK:
        return entry
    target = space.find(entry.path)
    return entry if target is None else replace(target, path=entry.path)


def _read_dir(space: Space, path: _Bytes, out: Any) -> None:
    """Hand out an array of entries with their names behind it, in one allocation."""
    directory = _text(path)
    if space.lookup(directory).kind is not Kind.DIRECTORY:
        raise NotADirectoryHere(f"{directory}: not a directory")
    entries = [_followed(space, entry) for entry in space.entries(directory)]
    if not entries:
        out.contents.ptr, out.contents.len = None, 0
        return
    names = [entry.name.encode("utf-8", "replace") for entry in entries]
    rows = (_DirEntry * len(entries))()
    size = ctypes.sizeof(rows)
    address = _malloc(size + sum(map(len, names)))
    if not address:
        raise MemoryError
    position = address + size
    for row, entry, name in zip(rows, entries, names, strict=True):
        row.name.ptr, row.name.len = position, len(name)
        _describe(row.metadata, entry, space)
        position += len(name)
    ctypes.memmove(address, rows, size)
    blob = b"".join(names)
    ctypes.memmove(address + size, blob, len(blob))
    out.contents.ptr, out.contents.len = address, len(entries)


def _release_memory(_instance: int, owned: _Bytes) -> None:
    if owned.ptr:
        _free(owned.ptr)


_VTABLE = _VTable(
    _Reader(_guarded(_read_file)),
    _Writer(_guarded(_write_file)),
    _Writer(_guarded(_append_file)),
    _Remover(_guarded(_mkdir)),
    _Remover(_guarded(_remove)),
    _Stater(_guarded(_stat)),
    _Reader(_guarded(_read_dir)),
    _Exister(_guarded(_exists)),
    _Mover(_guarded(_rename)),
    _Mover(_guarded(_copy)),
    _Mover(_guarded(_symlink)),
    _Reader(_guarded(_read_link)),
    _Moder(_guarded(_chmod)),
    _Freer(_release_memory),
    _Freer(_release_memory),
)
_RETAIN = _Counter(instances.retain)
_RELEASE = _Counter(instances.release)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = py_object, [c_void_p, c_char_p, c_void_p]


def filesystem(space: Space) -> FileSystem:
    """Return bashkit's file system over a Space; it lives as long as bashkit uses it."""
    from bashkit import FileSystem

    number = instances.add(space)
    handle = _Handle(ABI_VERSION, 0, number, _RETAIN, _RELEASE, ctypes.pointer(_VTABLE))
    try:
        # bashkit copies the handle and retains the instance before this returns
        capsule = _new_capsule(ctypes.addressof(handle), CAPSULE_NAME, None)
        return FileSystem.from_capsule(capsule)
    finally:
        instances.release(number)
