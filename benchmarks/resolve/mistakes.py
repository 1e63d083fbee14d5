"""Mistakes of agents, made from any file list by another recipe than the weights were learned with.

Each kind is what an agent does when it writes a path from memory: the wrong directory with the
wrong ending, the test that every file ought to have, a package without its prefix, `src/` where
there is none. A kind whose result has several right answers names all of them; one without any is
absent. Deterministic for a seed.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from trees import Case
from vocabulary import CODE, ENTRIES, FAMILIES, LANGUAGES, LONG, MIDDLES, ROOTS, SHORT, WORD


def ending(name: str) -> tuple[str, str]:
    base, dot, ext = name.rpartition(".")
    return (base, ext) if dot and base else (name, "")


class Mistakes:
    """Breaks the paths of one list."""

    def __init__(self, files: Sequence[str], project: str, seed: int, other: Sequence[str]) -> None:
        self.rng = random.Random(f"mistakes/{project}/{seed}")
        self.project, self.files, self.known = project, list(files), set(files)
        self.other = list(other)
        self.inside: defaultdict[str, list[str]] = defaultdict(list)
        self.named: defaultdict[str, list[str]] = defaultdict(list)
        self.directories: set[str] = set()
        for path in self.files:
            parent, _, name = path.rpartition("/")
            self.inside[parent].append(path)
            self.named[name].append(path)
            while parent and parent not in self.directories:
                self.directories.add(parent)
                parent = parent.rpartition("/")[0]
        self.code = [f for f in self.files if ending(f)[1] in CODE and "/" in f] or self.files
        self.tests = [f for f in self.code if self._is_test(f)]
        self.plain = [f for f in self.code if not self._is_test(f)] or self.code
        self.folders = sorted(self.directories)

    @staticmethod
    def _is_test(path: str) -> bool:
        name = path.rpartition("/")[2].lower()
        return "test" in name or "spec" in name

    def cases(self, per_kind: int) -> list[Case]:
        """Return up to `per_kind` cases of each kind."""
        made: list[Case] = []
        for kind in KINDS:
            build: Callable[[], tuple[str, Sequence[str], dict[str, object]] | None]
            build = getattr(self, "m_" + kind)
            seen: set[str] = set()
            for _ in range(per_kind * 12):
                if len(seen) >= per_kind:
                    break
                found = build()
                if found is None or found[0] in seen or not self._free(found[0]):
                    continue
                seen.add(found[0])
                path, truth, more = found
                made.append(
                    Case(f"{self.project}/{kind}/{len(seen)}", kind, self.project, path,
                         tuple(truth), **more)  # type: ignore[arg-type]
                )  # fmt: skip
        return made

    def _free(self, path: str) -> bool:
        plain = path.strip("/")
        return bool(plain) and plain not in self.known and plain not in self.directories

    def _near(self, path: str) -> dict[str, object]:
        """Return five remembered paths, two of them beside the answer."""
        beside = [p for p in self.inside[path.rpartition("/")[0]] if p != path]
        picked = self.rng.sample(beside, min(2, len(beside)))
        picked += self.rng.sample(self.files, min(5 - len(picked), len(self.files)))
        self.rng.shuffle(picked)
        return {"history": tuple(p for p in picked if p != path)}

    # -- with an answer ---------------------------------------------------------------------------

    def m_extension(self):
        path = self.rng.choice(self.files)
        base, ext = ending(path)
        family = next((f for f in FAMILIES if ext in f), None)
        if family is None:
            return None
        wrong = f"{base}.{self.rng.choice([e for e in family if e != ext])}"
        stem = ending(wrong)[0]
        same = [p for p in self.inside[path.rpartition("/")[0]] if ending(p)[0] == stem]
        return wrong, same, {}

    def m_directory_and_extension(self):
        path = self.rng.choice(self.plain)
        name = path.rpartition("/")[2]
        base, ext = ending(name)
        family = next((f for f in FAMILIES if ext in f), None)
        if family is None or len(base) < 6:
            return None
        same = [p for n in self.named if ending(n)[0] == base for p in self.named[n]]
        if len(same) != 1:
            return None
        parts = path.split("/")[:-1]
        position = self.rng.randrange(len(parts))
        parts[position] = self.rng.choice(MIDDLES)
        wrong = f"{'/'.join(parts)}/{base}.{self.rng.choice([e for e in family if e != ext])}"
        return wrong, [path], {}

    def m_source_inserted(self):
        path = self.rng.choice(self.code)
        parts = path.split("/")
        position = self.rng.randrange(min(3, len(parts)))
        parts.insert(position, self.rng.choice(("src", "lib", "app")))
        return "/".join(parts), [path], {}

    def m_source_missing(self):
        path = self.rng.choice(self.code)
        parts = path.split("/")
        places = [i for i, p in enumerate(parts[:-1]) if p in ("src", "lib", "app", "main", "pkg")]
        if not places:
            return None
        del parts[self.rng.choice(places)]
        wrong = "/".join(parts)
        return wrong, [path], {}

    def m_package_prefix(self):
        """A path of a monorepo from within its package, with or without what says which one."""
        path = self.rng.choice(self.code)
        parts = path.split("/")
        if len(parts) < 4:
            return None
        start = self.rng.randint(1, min(3, len(parts) - 2))
        wrong = "/".join(parts[start:])
        same = [p for p in self.named[parts[-1]] if p.endswith("/" + wrong)]
        more = self._near(path) if len(same) > 1 else {}
        return wrong, [path], more

    def m_style(self):
        path = self.rng.choice(self.files)
        parts = path.split("/")
        position = len(parts) - 1 if self.rng.random() < 0.6 else self.rng.randrange(len(parts))
        base, ext = ending(parts[position]) if position == len(parts) - 1 else (parts[position], "")
        words = [w.lower() for w in WORD.findall(base)]
        if len(words) < 2 or "".join(words) != re.sub(r"[^a-z0-9]", "", base.lower()):
            return None
        wrong = self.rng.choice((
            "_".join(words), "-".join(words), words[0] + "".join(w.title() for w in words[1:]),
            "".join(w.title() for w in words), "".join(words),
        ))  # fmt: skip
        parts[position] = f"{wrong}.{ext}" if ext else wrong
        return "/".join(parts), [path], {}

    def m_plural(self):
        path = self.rng.choice(self.files)
        parts = path.split("/")
        position = self.rng.randrange(len(parts))
        base, ext = ending(parts[position]) if position == len(parts) - 1 else (parts[position], "")
        if len(base) < 4 or not base[-1].isalpha():
            return None
        if base.endswith("ies"):
            wrong = base[:-3] + "y"
        elif base.endswith(("ches", "shes", "xes", "sses")):
            wrong = base[:-2]
        elif base.endswith("s"):
            wrong = base[:-1]
        elif base.endswith(("ch", "sh", "x")):
            wrong = base + "es"
        else:
            wrong = base[:-1] + "ies" if base[-1] == "y" and base[-2] not in "aeiou" else base + "s"
        parts[position] = f"{wrong}.{ext}" if ext else wrong
        return "/".join(parts), [path], {}

    def m_typo(self):
        path = self.rng.choice(self.files)
        parts = path.split("/")
        position = self.rng.randrange(len(parts))
        base, ext = ending(parts[position]) if position == len(parts) - 1 else (parts[position], "")
        if len(base) < 5:
            return None
        i = self.rng.randrange(1, len(base) - 1)
        wrong = self.rng.choice((
            base[:i] + base[i + 1] + base[i] + base[i + 2 :], base[:i] + base[i + 1 :],
            base[:i] + base[i] + base[i:], base[:i] + self.rng.choice("aeioust") + base[i + 1 :],
        ))  # fmt: skip
        parts[position] = f"{wrong}.{ext}" if ext else wrong
        return "/".join(parts), [path], {}

    def m_two_typos(self):
        first = self.m_typo()
        if first is None or "/" not in first[0]:
            return None
        parts = first[0].split("/")
        good = first[1][0].split("/")
        places = [i for i, p in enumerate(parts) if p == good[i] and len(p) > 5]
        if not places:
            return None
        k = self.rng.choice(places)
        i = self.rng.randrange(1, len(ending(parts[k])[0]) - 1) if ending(parts[k])[0][2:] else 1
        parts[k] = parts[k][:i] + parts[k][i + 1 :]
        return "/".join(parts), first[1], {}

    def m_case(self):
        path = self.rng.choice(self.files)
        wrong = self.rng.choice((path.lower(), path.upper(), path.title()))
        same = [p for p in self.files if p.lower() == path.lower()]
        return wrong, same, {}

    def m_foreign_root(self):
        path = self.rng.choice(self.files)
        root = self.rng.choice(ROOTS).format(p=self.project)
        return root + (path.replace("/", "\\") if "\\" in root else path), [path], {}

    def m_separators(self):
        path = self.rng.choice(self.code)
        wrong = path.replace("/", "\\") if self.rng.random() < 0.5 else path.replace("/", "//")
        return (".\\" if "\\" in wrong else ".//") + wrong, [path], {}

    def m_foreign_root_and_more(self):
        kind = self.rng.choice(("typo", "extension", "source_missing", "style", "plural"))
        found = getattr(self, "m_" + kind)()
        if found is None:
            return None
        return self.rng.choice(ROOTS[:4]).format(p=self.project) + found[0], found[1], found[2]

    def m_short_form(self):
        """`config` for `configuration`, and the reverse."""
        path = self.rng.choice(self.code)
        head, _, name = path.rpartition("/")
        base, ext = ending(name)
        for word in WORD.findall(base):
            other = SHORT.get(word.lower()) or LONG.get(word.lower())
            if other:
                cased = other.title() if word[:1].isupper() else other
                wrong = base.replace(word, cased, 1)
                return f"{head}/{wrong}.{ext}", [path], {}
        return None

    def m_index_file(self):
        """`x.ts` for `x/index.ts` and the reverse, with each language's own names."""
        names = {"py": "__init__", "rs": "mod", "ts": "index", "tsx": "index", "js": "index"}
        path = self.rng.choice(self.code)
        head, _, name = path.rpartition("/")
        base, ext = ending(name)
        if ext not in names:
            return None
        if base == names[ext]:
            return (f"{head}.{ext}", [path], {}) if "/" in head else None
        return f"{head}/{base}/{names[ext]}.{ext}", [path], {}

    def m_middle_invented(self):
        path = self.rng.choice(self.code)
        parts = path.split("/")
        parts.insert(self.rng.randint(1, len(parts) - 1), self.rng.choice(MIDDLES))
        return "/".join(parts), [path], {}

    def m_middle_lost(self):
        path = self.rng.choice(self.code)
        parts = path.split("/")
        if len(parts) < 4:
            return None
        del parts[self.rng.randint(1, len(parts) - 2)]
        wrong = "/".join(parts)
        return wrong, [path], {}

    def m_moved(self):
        """A rare name in the directory of something else."""
        path = self.rng.choice(self.code)
        name = path.rpartition("/")[2]
        if len(self.named[name]) > 1 or len(name) < 9:
            return None
        return f"{self.rng.choice(self.folders)}/{name}", [path], {}

    def m_test_elsewhere(self):
        """A test that exists, looked for where another convention puts it."""
        if not self.tests:
            return None
        path = self.rng.choice(self.tests)
        name = path.rpartition("/")[2]
        if len(self.named[name]) > 1 or len(ending(name)[0]) < 8:
            return None
        place = self.rng.choice(("tests", "test", "__tests__", "src/test", "tests/unit", "spec"))
        return f"{place}/{name}", [path], {}

    def m_directory(self):
        folder = self.rng.choice(self.folders)
        parts = folder.split("/")
        choice = self.rng.randrange(4)
        if choice == 0 and len(parts) > 1:
            del parts[0]
        elif choice == 1:
            parts.insert(self.rng.randrange(len(parts) + 1), self.rng.choice(("src", "lib")))
        elif choice == 2 and len(parts[-1]) > 4:
            parts[-1] = parts[-1][:-1] if parts[-1].endswith("s") else parts[-1] + "s"
        elif len(parts[-1]) > 4:
            parts[-1] = parts[-1][:2] + parts[-1][3:]
        wrong = "/".join(parts)
        same = [f for f in self.folders if f == wrong or f.endswith("/" + wrong)]
        truth = [folder, *same]
        return wrong, truth, {"op": self.rng.choice(("list", "search"))}

    def m_directory_as_file(self):
        folder = self.rng.choice(self.folders)
        endings = [ending(p.rpartition("/")[2])[1] for p in self.inside[folder]]
        entries = [f"{folder}/{name}" for name in ENTRIES if f"{folder}/{name}" in self.known]
        code = [ext for ext in endings if ext in CODE]
        if not code:
            return None
        ext = self.rng.choice(code)
        namesake = f"{folder}/{folder.rpartition('/')[2]}.{ext}"
        return f"{folder}.{ext}", [folder, namesake, *entries], {}

    def m_bare_near(self):
        names = [n for n, paths in self.named.items() if 1 < len(paths) < 150]
        if not names:
            return None
        path = self.rng.choice(self.named[self.rng.choice(sorted(names))])
        return path.rpartition("/")[2], [path], self._near(path)

    # -- without an answer ------------------------------------------------------------------------

    def m_absent_test(self):
        """The test of a file that has none."""
        path = self.rng.choice(self.plain)
        head, _, name = path.rpartition("/")
        base, ext = ending(name)
        if ext not in LANGUAGES or any(base.lower() in t.lower() for t in self.tests):
            return None
        shapes = {"py": f"tests/test_{base}.py", "go": f"{head}/{base}_test.go",
                  "rb": f"spec/{base}_spec.rb"}  # fmt: skip
        wrong = shapes.get(ext) or self.rng.choice(
            (f"{head}/{base}.test.{ext}", f"{head}/__tests__/{base}.spec.{ext}")
        )
        return wrong, [], {}

    def m_absent_foreign(self):
        """A file of another project, in a directory of this one."""
        name = self.rng.choice(self.other).rpartition("/")[2]
        words = {w.lower() for w in WORD.findall(ending(name)[0])}
        if len(ending(name)[0]) < 6 or any(
            words & {w.lower() for w in WORD.findall(ending(n)[0])} for n in self.named
        ):
            return None
        return f"{self.rng.choice(self.folders)}/{name}", [], {}

    def m_absent_feature(self):
        """A second file after the pattern of one that exists, about what is not there."""
        path = self.rng.choice(self.plain)
        head, _, name = path.rpartition("/")
        base, ext = ending(name)
        words = WORD.findall(base)
        new = self.rng.choice(
            (
                "invoice",
                "tenant",
                "coupon",
                "webhook",
                "telemetry",
                "avatar",
                "billing",
                "geofence",
                "loyalty",
                "chatbot",
                "ticket",
                "payroll",
            )
        )
        if len(words) < 2 or any(new in f.lower() for f in self.files):
            return None
        k = self.rng.randrange(len(words))
        wrong = base.replace(words[k], new.title() if words[k][:1].isupper() else new, 1)
        return f"{head}/{wrong}.{ext}", [], {}

    def m_absent_outside(self):
        other = self.rng.choice(self.other)
        place = self.rng.choice(("/etc/", "/home/dev/elsewhere/", "~/.config/", "/var/lib/"))
        return place + other, [], {"cwd": f"/home/dev/{self.project}"}


KINDS = tuple(name[2:] for name in vars(Mistakes) if name.startswith("m_"))
