"""What an installation had to make, so that an uninstallation leaves a file as it found it.

Kept beside the indexes. Without it nothing is lost: an object that is empty then stays where it is.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tadoru.errors import TadoruError
from tadoru.install.files import Read, read, write
from tadoru.install.json_tree import Pointer

RECORD = "installed.json"


@dataclass(slots=True)
class Footprint:
    """What was made in one file: itself, containers, and the room in brackets that it filled."""

    created: bool = False
    made: list[Pointer] = field(default_factory=list)
    inner: dict[str, str] = field(default_factory=dict)

    def merge(self, earlier: Footprint) -> None:
        """Add what earlier installations made."""
        self.created |= earlier.created
        self.made = [*earlier.made, *(m for m in self.made if m not in earlier.made)]
        self.inner = {**self.inner, **earlier.inner}


class Record:
    """The footprints of all files by their path, and the directories that were made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = Read("", None)
        self.files: dict[str, Footprint] = {}
        self.directories: list[str] = []
        try:
            self._before = read(path)
            table = json.loads(self._before.text or "{}")
            for name, row in table.get("files", {}).items():
                made: list[Pointer] = [tuple(pointer) for pointer in row["made"]]
                self.files[name] = Footprint(bool(row["created"]), made, dict(row["inner"]))
            self.directories = [str(name) for name in table.get("directories", [])]
        except (TadoruError, ValueError, KeyError, TypeError, AttributeError):
            self.files, self.directories = {}, []

    def note_directories(self, path: Path) -> None:
        """Note the directories that writing a file is about to make."""
        missing = [str(parent) for parent in path.parents if not parent.exists()]
        self.directories += [name for name in missing if name not in self.directories]

    def remove_directories(self) -> None:
        """Remove what was made and is empty now; forget what is gone."""
        for name in sorted(self.directories, key=len, reverse=True):
            try:
                if Path(name).exists():
                    Path(name).rmdir()
            except OSError:
                continue  # something else lies there now
            self.directories.remove(name)

    def save(self) -> None:
        """Write the record. Raises: `Unwritable`."""
        files = {name: asdict(row) for name, row in sorted(self.files.items())}
        if files or self.directories or self._before.exists:
            table = {"files": files, "directories": sorted(self.directories)}
            write(self._path, json.dumps(table, indent=1) + "\n", self._before)
