"""Synthetic training cases: correct paths of a list, broken the way agents break them.

Our own recipe, made after the classes of real failures (wrong name in the right directory, wrong
directory, dropped or invented prefixes, no right answer at all), and apart from the generator that
the figures are measured with. Deterministic for a seed.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from tadoru.resolve.endings import EXTENSION_FAMILIES
from tadoru.resolve.words import ROLES, split_extension, tokens
from tadoru.text.terms import stem


def _listed(text: str) -> list[str]:
    return text.split()


PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FAMILIES = [family.split() for family in EXTENSION_FAMILIES]
_ROLE_WORDS = [
    "helpers utils util common shared misc base", "handler controller routes api views",
    "types models schema entities interfaces", "config settings options",
    "service manager provider client store repository", "command cmd cli", "errors exceptions",
    "main index app core", "constants const", "parser reader loader", "writer encoder formatter",
    "logger logging log", "fixtures conftest setup mocks",
]  # fmt: skip
_MIDDLES = _listed(
    "commands core lib internal utils common handlers src pkg app services components api models "
    "helpers server client main impl shared cmd"
)
ROOTS = (
    "/Users/sam/code/{p}/", "/home/ubuntu/{p}/", "/workspace/{p}/", "/workspaces/{p}/", "/app/",
    "/repo/", "/testbed/", "/home/user/work/{p}/.worktrees/fix-1/", "C:\\Users\\sam\\{p}\\",
    "/mnt/c/src/{p}/", "/github/workspace/", "/tmp/{p}-abc123/",
)  # fmt: skip
OPTIONAL = _listed(
    "README.md CONTRIBUTING.md .env .env.example .env.local CLAUDE.md AGENTS.md package.json "
    "pyproject.toml Makefile Dockerfile docker-compose.yml tsconfig.json .eslintrc.json LICENSE "
    "setup.cfg requirements.txt go.mod Cargo.toml .golangci.yml jest.config.js TODO.md notes.md "
    "CHANGELOG.md .prettierrc .claude/settings.local.json .vscode/settings.json target/classes "
    "node_modules/.bin dist/index.js build/output .git/config .git/hooks/pre-commit plan.md "
    "reproduce.py test.py reproduce.java repro.ts debug.log coverage/lcov.info scripts docs tests "
    "modules examples src lib tools"
)


def join(style: str, words: Sequence[str]) -> str:
    """Write words in the style of a name."""
    low = [w.lower() for w in words]
    if "_" in style:
        return "_".join(low)
    if "-" in style:
        return "-".join(low)
    if style[:1].isupper():
        return "".join(w.capitalize() for w in low)
    if any(c.isupper() for c in style):
        return low[0] + "".join(w.capitalize() for w in low[1:])
    return "_".join(low) if len(low) > 1 else low[0]


def typo(rng: random.Random, text: str) -> str | None:
    """Make one typing error after the first letter."""
    places = [i for i, c in enumerate(text) if i and c.isalpha()]
    if len(places) < 3:
        return None
    i = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0 and i + 1 < len(text):
        return text[:i] + text[i + 1] + text[i] + text[i + 2 :]
    if kind == 1:
        return text[:i] + text[i + 1 :]
    if kind == 2:
        return text[:i] + rng.choice(_LETTERS) + text[i + 1 :]
    return text[:i] + rng.choice(_LETTERS) + text[i:]


def plural(text: str) -> str | None:
    if len(text) < 3 or not text[-1].isalpha():
        return None
    if text.endswith("ies"):
        return text[:-3] + "y"
    if text.endswith("s"):
        return text[:-1]
    if text.endswith("y") and text[-2] not in "aeiou":
        return text[:-1] + "ies"
    return text + "s"


class Faults:
    """Breaks paths of one file list. A part of the files is taken out first: those are absent."""

    def __init__(self, files: Sequence[str], project: str, seed: int, other: Sequence[str]) -> None:
        self.rng = random.Random(f"{project}/{seed}")
        self.project = project
        everything = [f for f in files if f and len(f) < 180]
        removed = set(self.rng.sample(everything, max(1, len(everything) // 14)))
        self.files = [f for f in everything if f not in removed]
        self.removed = sorted(removed)
        self.other = [f for f in other if f]
        self.known = set(self.files)
        self.children: defaultdict[str, list[str]] = defaultdict(list)
        self.by_name: defaultdict[str, list[str]] = defaultdict(list)
        self.directories: set[str] = set()
        for path in self.files:
            parent, _, name = path.rpartition("/")
            self.children[parent].append(path)
            self.by_name[name].append(path)
            while parent and parent not in self.directories:
                self.directories.add(parent)
                parent = parent.rpartition("/")[0]
        self.directory_list = sorted(self.directories)
        self.twins = sorted(n for n, paths in self.by_name.items() if 1 < len(paths) < 200)

    # -- single faults: a path, or None where the fault does not apply ---------------------------

    def f_typo_name(self, path: str) -> str | None:
        head, _, name = path.rpartition("/")
        base, _ = split_extension(name)
        wrong = typo(self.rng, base)
        return wrong and self._put(head, wrong, name, base)

    def f_typo_dir(self, path: str) -> str | None:
        return self._change_dir(path, lambda part: typo(self.rng, part))

    def f_plural(self, path: str) -> str | None:
        if self.rng.random() < 0.5:
            return self._change_dir(path, plural)
        head, _, name = path.rpartition("/")
        base, _ = split_extension(name)
        wrong = plural(base)
        return wrong and self._put(head, wrong, name, base)

    def f_extension(self, path: str) -> str | None:
        base, ext = split_extension(path)
        if ext and self.rng.random() < 0.25:
            return f"{base}.{self.rng.choice([f[0] for f in _FAMILIES if ext not in f])}"
        for family in _FAMILIES:
            if ext in family and len(family) > 1:
                return f"{base}.{self.rng.choice([e for e in family if e != ext])}"
        return None

    def f_drop_prefix(self, path: str) -> str | None:
        parts = path.split("/")
        if len(parts) < 3:
            return None
        return "/".join(parts[self.rng.randint(1, len(parts) - 2) :])

    def f_add_prefix(self, path: str) -> str | None:
        parts = path.split("/")
        choice = self.rng.randrange(4)
        if choice == 0:
            return f"{self.project}/{path}"
        if choice == 1:
            return f"{self.rng.choice(_MIDDLES)}/{path}"
        if choice == 2 and len(parts) > 1:
            cut = self.rng.randint(1, len(parts) - 1)
            return "/".join(parts[:cut]) + "/" + path
        return f"{self.rng.choice(['work', 'repos', 'code'])}/{self.project}/{path}"

    def f_drop_middle(self, path: str) -> str | None:
        parts = path.split("/")
        if len(parts) < 3:
            return None
        k = self.rng.randint(1, len(parts) - 2)
        end = min(len(parts) - 1, k + self.rng.choice((1, 1, 1, 2, 3)))
        return "/".join(parts[:k] + parts[end:])

    def f_add_middle(self, path: str) -> str | None:
        parts = path.split("/")
        k = self.rng.randint(0, len(parts) - 1)
        parts.insert(k, self.rng.choice(_MIDDLES))
        return "/".join(parts)

    def f_other_dir(self, path: str) -> str | None:
        """Replace one directory by one of its siblings, or by a word of the same role."""
        parts = path.split("/")
        if len(parts) < 2:
            return None
        k = self.rng.randint(0, len(parts) - 2)
        parent = "/".join(parts[:k])
        prefix = parent + "/" if parent else ""
        siblings = [
            d for d in self.directory_list
            if d.startswith(prefix) and "/" not in d[len(prefix) :] and d != prefix + parts[k]
        ]  # fmt: skip
        if siblings and self.rng.random() < 0.8:
            parts[k] = self.rng.choice(siblings)[len(prefix) :]
        else:
            parts[k] = self.rng.choice(_MIDDLES)
        return "/".join(parts)

    def f_far_dir(self, path: str) -> str | None:
        name = path.rpartition("/")[2]
        if len(self.by_name[name]) > 1:
            return None
        return f"{self.rng.choice(self.directory_list)}/{name}" if self.directory_list else None

    def f_style(self, path: str) -> str | None:
        head, _, name = path.rpartition("/")
        base, _ = split_extension(name)
        words = PARTS.findall(base)
        if len(words) < 2:
            return self._put(head, base.swapcase(), name, base) if base.isalpha() else None
        style = self.rng.choice(["a_b", "a-b", "Ab", "aB", "ab"])
        wrong = "".join(words).lower() if style == "ab" else join(style, words)
        return self._put(head, wrong, name, base)

    def f_words(self, path: str) -> str | None:
        """Drop, add or swap words of the name."""
        head, _, name = path.rpartition("/")
        base, _ = split_extension(name)
        words = PARTS.findall(base)
        if not words:
            return None
        choice = self.rng.randrange(3)
        if choice == 0 and len(words) > 1:
            words.pop(self.rng.randrange(len(words)))
        elif choice == 1 and len(words) > 2:
            self.rng.shuffle(words)
        else:
            extra = self.rng.choice(" ".join(_ROLE_WORDS).split())
            words.insert(self.rng.choice([0, len(words)]), extra)
        return self._put(head, join(base, words), name, base)

    def f_role(self, path: str) -> str | None:
        """Put another word of the same role in the place of one."""
        head, _, name = path.rpartition("/")
        base, _ = split_extension(name)
        words = PARTS.findall(base)
        for i in self.rng.sample(range(len(words)), len(words)):
            roles = ROLES.get(stem(words[i].lower()))
            groups = [g.split() for g in _ROLE_WORDS if roles and any(
                not roles.isdisjoint(ROLES.get(stem(w), ())) for w in g.split())]  # fmt: skip
            if groups:
                words[i] = self.rng.choice(self.rng.choice(groups))
                return self._put(head, join(base, words), name, base)
        return None

    def f_directory_name(self, path: str) -> str | None:
        """Name the file after its directory, or generically, where that is a fair guess."""
        head, _, name = path.rpartition("/")
        base, ext = split_extension(name)
        alike = [p for p in self.children[head] if p.endswith("." + ext)]
        last = head.rpartition("/")[2]
        related = set(tokens(base)) & set(tokens(last)) or (base.lower() in last.lower())
        if not head or not ext or not (len(alike) == 1 or (related and len(alike) < 8)):
            return None
        choices = [last, last.replace("-", "_"), "index", "main", "types", "utils", "mod", "client"]
        return f"{head}/{self.rng.choice(choices)}.{ext}"

    def f_move_word(self, path: str) -> str | None:
        """Move a word between the name and its directory."""
        head, _, name = path.rpartition("/")
        base, ext = split_extension(name)
        words = PARTS.findall(base)
        outer, _, last = head.rpartition("/")
        if len(words) > 1 and self.rng.random() < 0.6:
            rest = join(base, words[1:])
            return "/".join(filter(None, (head, words[0].lower(), self._named(rest, ext))))
        if not last:
            return None
        inner = join(base if "_" in base or "-" in base else "a_b", [*PARTS.findall(last), *words])
        return "/".join(filter(None, (outer, self._named(inner, ext))))

    def f_no_extension(self, path: str) -> str | None:
        base, ext = split_extension(path)
        return base + self.rng.choice(("", "", "/")) if ext and "/" in path else None

    @staticmethod
    def _named(base: str, ext: str) -> str:
        return f"{base}.{ext}" if ext else base

    def _put(self, head: str, wrong: str, name: str, base: str) -> str:
        return "/".join(filter(None, (head, wrong + name[len(base) :])))

    def _change_dir(self, path: str, change: Callable[[str], str | None]) -> str | None:
        parts = path.split("/")
        places = [i for i in range(len(parts) - 1) if len(parts[i]) > 3]
        if not places:
            return None
        i = self.rng.choice(places)
        wrong = change(parts[i])
        if wrong:
            parts[i] = wrong
        return "/".join(parts) if wrong else None

    # -- cases ------------------------------------------------------------------------------------

    def free(self, path: str) -> bool:
        plain = path.strip("/")
        return bool(plain) and plain not in self.known and plain not in self.directories

    def history_near(self, path: str, twin: str = "") -> tuple[str, ...]:
        """Return five remembered paths: some near the answer, some anywhere, one near a twin."""
        parent = path.rpartition("/")[0]
        grand = parent.rpartition("/")[0]
        near = [p for p in self.children[parent] if p != path]
        wider = [p for p in self.files if grand and p.startswith(grand + "/") and p not in near]
        picked = self.rng.sample(near, min(2, len(near)))
        picked += self.rng.sample(wider, min(1, len(wider)))
        if twin:
            beside = [p for p in self.children[twin.rpartition("/")[0]] if p != twin]
            picked += self.rng.sample(beside, min(1, len(beside)))
        while len(picked) < 5:
            picked.append(self.rng.choice(self.files))
        self.rng.shuffle(picked)
        return tuple(p for p in dict.fromkeys(picked) if p != path)[:5]

    def intent_for(self, path: str, whole: bool) -> str:
        parent, _, name = path.rpartition("/")
        words = [w.lower() for w in PARTS.findall(parent.rpartition("/")[2])]
        if whole:
            words += [w.lower() for w in PARTS.findall(split_extension(name)[0])]
        shape = self.rng.choice(("Let me look at the {} code.", "fix {}", "How does {} work?"))
        return shape.format(" ".join(words))

    def _context(self, path: str) -> dict[str, object]:
        """Add what callers know, now and then: history, intent, a working directory."""
        context: dict[str, object] = {}
        if self.rng.random() < 0.4:
            context["history"] = (
                self.history_near(path)
                if self.rng.random() < 0.5
                else tuple(self.rng.sample(self.files, min(5, len(self.files))))
            )
        if self.rng.random() < 0.3:
            context["intent"] = self.intent_for(path, self.rng.random() < 0.3)
        elif self.rng.random() < 0.3:
            context["intent"] = self.intent_for(self.rng.choice(self.files), True)
        return context
