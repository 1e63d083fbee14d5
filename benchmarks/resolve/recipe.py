"""Which faults the training set holds, and in what proportion.

The shares follow what real agents got wrong: invented names, wrong directories and questions
without an answer weigh most, typing errors least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from faults import OPTIONAL, PARTS, ROOTS, Faults, join, plural
from trees import Case

from tadoru.resolve.words import split_extension

SINGLE = {
    "typo_name": 2, "typo_dir": 2, "plural": 2, "extension": 4, "drop_prefix": 4, "add_prefix": 3,
    "drop_middle": 4, "add_middle": 4, "other_dir": 5, "far_dir": 2, "style": 2, "words": 3,
    "role": 5, "directory_name": 6, "move_word": 3, "no_extension": 2,
}  # fmt: skip
OTHERS = {
    "two": 5, "foreign": 3, "cwd": 3, "directory": 6, "directory_as_file": 3,
    "bare": 5, "bare_history": 7,
    "bare_intent": 5, "separators": 1, "dollar": 1,
    "absent_removed": 9, "absent_foreign": 7, "absent_words": 8, "absent_optional": 6,
    "absent_outside": 3, "absent_new": 4, "absent_directory": 3,
}  # fmt: skip


class Recipe(Faults):
    """Faults, put together to cases."""

    def cases(self, count: int) -> list[Case]:
        """Return about `count` cases, in the proportions above."""
        shares = SINGLE | OTHERS
        unit = count / sum(shares.values())
        made: dict[tuple[str, tuple[str, ...]], Case] = {}
        for kind, share in shares.items():
            build: Callable[[], Case | None] = getattr(
                self, "c_" + kind, lambda k=kind: self._single(k)
            )
            for _ in range(max(1, round(share * unit))):
                for _ in range(12):
                    case = build()
                    if case is not None and self.free(case.path):
                        made.setdefault((case.path, case.truth), case)
                        break
        return list(made.values())

    def _case(self, kind: str, path: str, truth: Sequence[str], **more: object) -> Case:
        return Case(
            id=f"{self.project}/{kind}", kind=kind, project=self.project, path=path,
            truth=tuple(truth), **more,  # type: ignore[arg-type]
        )  # fmt: skip

    def _pick(self, depth: int = 0) -> str:
        for _ in range(50):
            path = self.rng.choice(self.files)
            if path.count("/") >= depth:
                break
        return path

    def _single(self, kind: str) -> Case | None:
        top_level = self.children[""]
        path = (
            self.rng.choice(top_level) if top_level and self.rng.random() < 0.1 else self._pick(1)
        )
        wrong = getattr(self, "f_" + kind)(path)
        if not wrong or wrong == path:
            return None
        return self._case(kind, self._rooted(wrong), [path], **self._context(path))

    def _rooted(self, path: str) -> str:
        """Put a path under a foreign root, one time in six."""
        if self.rng.random() < 0.83:
            return path
        root = self.rng.choice(ROOTS).format(p=self.project)
        return root + (path.replace("/", "\\") if "\\" in root else path)

    def c_two(self) -> Case | None:
        path = self._pick(2)
        first, second = self.rng.sample(sorted(SINGLE), 2)
        wrong = getattr(self, "f_" + first)(path)
        wrong = wrong and getattr(self, "f_" + second)(wrong)
        if not wrong or wrong == path:
            return None
        return self._case("two", wrong, [path], **self._context(path))

    def c_foreign(self) -> Case:
        path = self._pick()
        root = self.rng.choice(ROOTS).format(p=self.project)
        return self._case(
            "foreign", root + (path.replace("/", "\\") if "\\" in root else path), [path]
        )

    def c_separators(self) -> Case:
        path = self._pick(1)
        return self._case("separators", path.replace("/", "\\"), [path])

    def c_dollar(self) -> Case | None:
        path = self._pick(1)
        head, _, name = path.rpartition("/")
        wrong = name.replace("$", "")
        if wrong == name:
            return None
        return self._case("dollar", f"{head}/{wrong}", [path])

    def c_cwd(self) -> Case | None:
        """Ask from a working directory: one level joined twice, left out, or beside."""
        path = self._pick(2)
        parts = path.split("/")
        k = self.rng.randint(1, len(parts) - 1)
        root = self.rng.choice(ROOTS[:4]).format(p=self.project)
        cwd = self.rng.choice(["", root]) + "/".join(parts[:k])
        wrong = "/".join(parts[max(0, k - 1) :])
        if self.rng.random() < 0.5:
            below = "/".join(parts[k:])
            wrong = getattr(self, "f_" + self.rng.choice(("typo_name", "drop_prefix", "role")))(
                below
            )
        return self._case("cwd", wrong, [path], cwd=cwd) if wrong and wrong != path else None

    def c_directory(self) -> Case | None:
        """Ask for a directory: misspelt, moved, or with a leaf that nobody made."""
        directory = self.rng.choice(self.directory_list)
        parts = directory.split("/")
        choice = self.rng.randrange(6)
        op = self.rng.choice(("list", "search", "list", "stat"))
        if choice == 0:
            wrong = directory + "/" + self.rng.choice(("commands", "handlers", "core", "internal"))
            if len(parts) < 2:
                return None
        elif choice == 1:
            wrong = self.f_typo_dir(directory + "/x") or ""
            wrong = wrong[:-2]
        elif choice == 2 and len(parts) > 1:
            wrong = "/".join(parts[self.rng.randint(1, len(parts) - 1) :])
        elif choice == 3:
            wrong = "/".join([*parts[:-1], plural(parts[-1]) or parts[-1]])
        elif choice == 4:
            wrong = self.f_drop_middle(directory) or self.f_add_middle(directory) or ""
        else:
            wrong = self.f_add_prefix(directory) or ""
        names = [d for d in self.directory_list if d.endswith("/" + parts[-1]) or d == parts[-1]]
        if not wrong or (choice == 2 and len(names) > 3):
            return None
        slash = self.rng.choice(("", "/"))
        return self._case("directory", self._rooted(wrong) + slash, [directory], op=op)

    def c_directory_as_file(self) -> Case:
        """Put an extension behind a directory, or a slash behind a file without one."""
        if self.rng.random() < 0.5:
            directory = self.rng.choice(self.directory_list)
            inside = [split_extension(p)[1] for p in self.children[directory]]
            ext = self.rng.choice([e for e in inside if e] or ["py", "go", "ts"])
            return self._case("directory_as_file", f"{directory}.{ext}", [directory])
        path = self._pick(1)
        base = split_extension(path)[0]
        alike = [p for p in self.children[path.rpartition("/")[0]] if split_extension(p)[0] == base]
        return self._case("directory_as_file", base + "/", alike)

    def _twin(self) -> tuple[str, str] | None:
        if not self.twins:
            return None
        paths = self.by_name[self.rng.choice(self.twins)]
        return self.rng.choice(paths), self.rng.choice(paths)

    def c_bare(self) -> Case:
        path = self._pick(2)
        return self._case("bare", path.rpartition("/")[2], [path], **self._context(path))

    def c_bare_history(self) -> Case | None:
        pair = self._twin()
        if pair is None:
            return None
        path, other = pair
        history = self.history_near(
            path, other if other != path and self.rng.random() < 0.5 else ""
        )
        return self._case("bare_history", path.rpartition("/")[2], [path], history=history)

    def c_bare_intent(self) -> Case | None:
        pair = self._twin()
        if pair is None:
            return None
        intent = self.intent_for(pair[0], whole=False)
        return self._case("bare_intent", pair[0].rpartition("/")[2], [pair[0]], intent=intent)

    # -- no right answer --------------------------------------------------------------------------

    def c_absent_removed(self) -> Case:
        """A file that the tree had, and has no more."""
        path = self.rng.choice(self.removed)
        if self.rng.random() < 0.2:
            path = path.rpartition("/")[2]
        return self._case("absent_removed", self._rooted(path), [], **self._context(self._pick()))

    def c_absent_foreign(self) -> Case | None:
        name = self.rng.choice(self.other).rpartition("/")[2]
        if name in self.by_name:
            return None
        parent = self._pick(1).rpartition("/")[0]
        path = name if self.rng.random() < 0.35 else f"{parent}/{name}"
        return self._case("absent_foreign", path, [], **self._context(self._pick()))

    def c_absent_words(self) -> Case | None:
        """A plausible name made of the project's own words."""
        here, there = self._pick(1), self._pick()
        parent, _, name = here.rpartition("/")
        base, ext = split_extension(name)
        mine, theirs = (
            PARTS.findall(base),
            PARTS.findall(split_extension(there.rpartition("/")[2])[0]),
        )
        if not mine or not theirs:
            return None
        words = [self.rng.choice(mine), self.rng.choice(theirs)]
        self.rng.shuffle(words)
        made = self._named(join(self.rng.choice([base, "a_b"]), words), ext)
        if made in self.by_name or len({w.lower() for w in words}) < 2 or min(map(len, words)) < 3:
            return None
        return self._case("absent_words", f"{parent}/{made}", [], **self._context(here))

    def c_absent_optional(self) -> Case | None:
        name = self.rng.choice(OPTIONAL)
        base = split_extension(name)[0].lower()
        if any(base == split_extension(p)[0].lower() for p in self.children[""]):
            return None
        parent = self._pick(1).rpartition("/")[0] + "/" if self.rng.random() < 0.2 else ""
        op = "read" if "." in name else "list"
        return self._case("absent_optional", self._rooted(parent + name), [], op=op)

    def c_absent_outside(self) -> Case:
        name = self._pick().rpartition("/")[2] if self.rng.random() < 0.4 else "notes.md"
        other = self.rng.choice(self.other)
        path = self.rng.choice(
            (f"~/.config/tool/{name}", f"/tmp/{name}", f"/etc/{name}", f"/Users/sam/.claude/{name}",
             f"/Users/sam/code/elsewhere/{other}", "/var/log/syslog", f"/home/ubuntu/other/{other}")
        )  # fmt: skip
        return self._case("absent_outside", path, [], cwd=f"/Users/sam/code/{self.project}")

    def c_absent_new(self) -> Case | None:
        """A name about to be created: half of them say so."""
        case = self.c_absent_words() if self.rng.random() < 0.5 else self.c_absent_foreign()
        if case is None:
            return None
        op = self.rng.choice(("write", "read"))
        return self._case("absent_new", case.path, [], op=op, history=case.history)

    def c_absent_directory(self) -> Case | None:
        other = self.rng.choice(self.other).split("/")
        if len(other) < 2:
            return None
        name = self.rng.choice(other[:-1])
        if any(name == d.rpartition("/")[2] for d in self.directory_list):
            return None
        parent = self._pick(1).rpartition("/")[0] + "/" if self.rng.random() < 0.5 else ""
        return self._case(
            "absent_directory", parent + name, [], op=self.rng.choice(("list", "search"))
        )
