"""How two names compare: edits, containment, roles, place. Each answer is one small number.

Pure functions of names that are parsed already; what the numbers are worth is learned elsewhere.
"""

from __future__ import annotations

from rapidfuzz.distance import OSA

from tadoru.resolve.words import ROLES, Name


def typo(left: str, right: str) -> float:
    """Return 1 for one edit between names of 4 letters and more, 0.6 for two in longer ones."""
    shorter = min(len(left), len(right))
    if shorter < 4 or abs(len(left) - len(right)) > 2:
        return 0.0
    edits = OSA.distance(left, right, score_cutoff=2)
    if edits == 1:
        return 1.0
    return 0.6 if edits == 2 and shorter >= 7 else 0.0


def shared_start(left: str, right: str) -> int:
    """Return how many letters two names have in common from the front."""
    length = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        length += 1
    return length


def containment(left: str, right: str) -> float:
    """Return the share of the longer name that the shorter one, found in it, makes up."""
    shorter, longer = sorted((left, right), key=len)
    return len(shorter) / len(longer) if len(shorter) >= 3 and shorter in longer else 0.0


def role(asked: Name, offered: Name) -> float:
    """Return the share of the asked words that are answered by a word of the same role."""
    if not offered.roles or not asked.roles:
        return 0.0
    left = [word for word in asked.words if word not in offered.word_set]
    return sum(not offered.roles.isdisjoint(ROLES.get(word, ())) for word in left) / len(
        asked.words
    )


def is_main(offered: Name, directory: str) -> bool:
    """Tell whether a file is the one that stands for its directory."""
    return offered.folded in ("index", "main", "mod", "init", "lib", "types", "doc") or (
        len(directory) > 2 and (offered.folded in directory or directory in offered.folded)
    )


def distance_below(directory: str, path: str) -> int:
    """Return how many components `path` lies below `directory`; -1 when it doesn't."""
    if path == directory:
        return 0
    if not directory:
        return path.count("/") + 1 if path else 0
    return path.count("/") - directory.count("/") if path.startswith(directory + "/") else -1
