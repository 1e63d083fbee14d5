"""One word in several forms: singular and plural, cut short and written out.

Decides which words of names are the same word (`config`, `configuration`; `box`, `boxes`). Words
for the same job that are different words (`helpers`, `utils`) are roles (`words.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
_IRREGULAR = {
    "indices": "index", "vertices": "vertex", "matrices": "matrix", "children": "child",
    "people": "person", "criteria": "criterion", "analyses": "analysis", "data": "data",
}  # fmt: skip


@lru_cache(maxsize=65_536)
def singular(folded: str) -> str:
    """Return a folded word without its plural ending, the same for both numbers.

    A key to compare with, not always a word: `caches` and `cache` both give `cach`.
    """
    for plural, single in _IRREGULAR.items():
        if folded.endswith(plural):
            return folded[: -len(plural)] + single
    if folded.endswith("s") and not folded.endswith(("ss", "us", "is")) and len(folded) > 2:
        folded = folded[:-1]
    if folded.endswith("ie") and len(folded) > 3:
        return folded[:-2] + "y"
    if folded.endswith(("che", "she", "xe", "sse", "ze")) and len(folded) > 3:
        return folded[:-1]
    return folded


_SHORT_FORMS = (
    "config configuration conf cfg", "app application", "util utility", "db database",
    "auth authentication authn", "authz authorization", "repo repository", "msg message",
    "req request", "res resp response", "ctx context", "doc document documentation",
    "dir directory", "pkg package", "cmd command", "param parameter", "env environment",
    "impl implementation", "admin administrator administration", "spec specification",
    "ref reference", "lib library", "tmp temp temporary", "mgr manager", "src source",
    "arg argument", "opt option", "srv server", "info information", "init initialize initializer",
    "gen generator generate", "err error", "fn func function", "var variable", "str string",
    "num number", "img image", "btn button", "nav navigation", "prop property", "attr attribute",
    "calc calculator calculate", "ext extension", "ops operation", "stat statistic", "op operation",
    "sync synchronize", "async asynchronous", "perf performance", "pref preference",
    "sched scheduler", "exec executor execute", "proc process processor", "desc description",
    "dev development", "prod production", "org organization", "proto protocol", "std standard",
    "vm virtualmachine", "ui userinterface", "i18n internationalization", "k8s kubernetes",
    "js javascript", "ts typescript", "py python", "conn connection", "cert certificate",
    "alloc allocator", "buf buffer", "addr address", "ver version", "sess session",
    "tx transaction", "evt event", "cb callback", "len length", "idx index", "iter iterator",
    "max maximum", "min minimum", "misc miscellaneous", "sec security", "net network", "obj object",
    "sys system", "tbl table", "val value", "vol volume", "win window", "dest destination",
    "comp component", "cond condition", "decl declaration", "def definition", "deps dependency",
    "dep dependency", "expr expression", "stmt statement", "fmt format formatter", "hist history",
    "lang language", "mem memory", "mod module", "notif notification", "perm permission",
    "pos position", "prev previous", "priv private", "pub public", "sub subscription",
    "sig signature", "tok token", "txt text", "usr user", "xform transform",
    "eval evaluate evaluator",
)  # fmt: skip
_FORMS: dict[str, tuple[str, ...]] = {}
for _group in _SHORT_FORMS:
    for _word in _group.split():
        _others = (other for other in _group.split() if other != _word)
        _FORMS[singular(_word)] = (*_FORMS.get(singular(_word), ()), *_others)
MAX_FORMS = 24


@lru_cache(maxsize=4_096)
def other_forms(stem_of_name: str) -> tuple[str, ...]:
    """Return the folded names that a name has when words are cut short or written out.

    `app_config` gives `applicationconfig` and `appconfiguration`, in the singular.
    """
    words = [word.lower() for word in _WORD.findall(stem_of_name)]
    forms = [_FORMS.get(singular(word), ()) for word in words]
    if not any(forms):
        return ()
    found = [""]
    for word, others in zip(words, forms, strict=True):
        found = [front + form for front in found for form in (word, *others)]
        del found[MAX_FORMS:]
    return tuple(dict.fromkeys(map(singular, found[1:])))
