"""A grammar of expressions and of lines, in the corners where engines differ.

    expression = branch { | branch }        branch = [^] piece... [$]
    piece = atom [repetition]               atom = letter . bracket \\w \\W \\s \\S ( expression )
          | \\< \\> \\b \\B | ^ $            | ( atom atom ) piece \\N
    repetition = * ** + ? {n} {n,} {,m} {n,m} {,} { }*

Left out, because glibc itself is wrong there: assertions within what is repeated, and
back-references to groups that are repeated or hold alternatives.
"""

from __future__ import annotations

import random

ALPHABET = "aabbcAB0_-. é"
LINE_ALPHABET = "aaabbbccABCk0_-. \té日ſßÉ*+{}1"
CLASSES = ["alpha", "digit", "alnum", "upper", "lower", "space", "punct", "blank", "xdigit"]


def pattern(rng: random.Random, *, extended: bool, depth: int = 3, references: bool = True) -> str:
    """Return an expression, with groups `depth` deep, with or without back-references."""
    return _Writer(rng, extended=extended, references=references).alternatives(depth)


class _Writer:
    def __init__(self, rng: random.Random, *, extended: bool, references: bool) -> None:
        self.rng = rng
        self.extended = extended
        self.references = references
        self.opened = 0
        self.repeated = 0

    def op(self, text: str) -> str:
        return text if self.extended else "\\" + text

    def alternatives(self, depth: int) -> str:
        branches = [self.branch(depth)]
        while depth and self.rng.random() < 0.25:
            branches.append(self.branch(depth))
        return self.op("|").join(branches)

    def branch(self, depth: int) -> str:
        count = self.rng.choice([1, 1, 2, 2, 3, 4])
        text = "".join(self.piece(depth) for _ in range(count))
        if self.repeated:
            return text
        if self.rng.random() < 0.1:
            text = "^" + text
        if self.rng.random() < 0.1:
            text += "$"
        return text

    def piece(self, depth: int) -> str:
        """An atom, perhaps repeated. No assertion in what is repeated: glibc is wrong there."""
        if self.rng.random() < 0.62:
            return self.atom(depth)
        self.repeated += 1
        atom = self.atom(depth)
        self.repeated -= 1
        return atom + self.rng.choice(
            ["*", "*", self.op("+"), self.op("?"), "**", self.interval(), self.interval() + "*"]
        )

    def interval(self) -> str:
        low, high = sorted(self.rng.choices(range(4), k=2))
        body = self.rng.choice([f"{low}", f"{low},", f",{high}", f"{low},{high}", ","])
        return "{" + body + "}" if self.extended else "\\{" + body + "\\}"

    def atom(self, depth: int) -> str:
        roll = self.rng.random()
        if roll < 0.5:
            letter = self.rng.choice(ALPHABET)
            return "\\." if letter == "." and self.rng.random() < 0.5 else letter
        if roll < 0.58:
            return "."
        if roll < 0.72:
            return self.bracket()
        if roll < 0.80:
            return self.rng.choice([r"\w", r"\W", r"\s", r"\S"])
        if roll < 0.86 and not self.repeated:
            return self.rng.choice([r"\<", r"\>", r"\b", r"\B"])
        if roll < 0.88 and not self.repeated:
            return self.rng.choice(["^", "$"]) if self.extended else self.rng.choice("^$")
        if roll < 0.90 and self.references and not self.repeated and self.opened < 9:
            self.opened += 1
            number = self.opened
            group = (
                self.op("(") + self.simple() + self.rng.choice(["", self.simple()]) + self.op(")")
            )
            return group + self.rng.choice(["", ".", ".*", "b"]) + f"\\{number}"
        if depth:
            self.opened += 1
            return self.op("(") + self.alternatives(depth - 1) + self.op(")")
        return self.rng.choice(ALPHABET)

    def simple(self) -> str:
        return self.rng.choice(["a", "b", "é", "[ab]", "[[:alpha:]]", r"\w", "[^ab]"])

    def bracket(self) -> str:
        items = [self.item() for _ in range(self.rng.randint(1, 3))]
        if self.rng.random() < 0.1:
            items.insert(0, "]")
        body = "".join(items)
        if self.rng.random() < 0.1:
            body += "-"
        return "[" + ("^" if self.rng.random() < 0.3 else "") + body + "]"

    def item(self) -> str:
        roll = self.rng.random()
        if roll < 0.45:
            return self.rng.choice("abcAB0_.é日 *")
        if roll < 0.7:
            return self.rng.choice(["a-c", "0-9", "A-Z", "b-b", "_-z", " -~"])
        if roll < 0.92:
            return f"[:{self.rng.choice(CLASSES)}:]"
        return self.rng.choice(["[.a.]", "[=b=]", "[.-.]"])


def line(rng: random.Random, *, broken: bool = False) -> bytes:
    text = "".join(rng.choices(LINE_ALPHABET, k=rng.choice([0, 1, 2, 3, 4, 5, 6, 8, 12])))
    data = text.encode()
    if broken and data and rng.random() < 0.5:
        at = rng.randrange(len(data) + 1)
        bad = rng.choice([b"\xff", b"\xc3", b"\xe2\x82", b"\x80", b"\xc0\x80"])
        data = data[:at] + bad + data[at:]
    return data
