"""The files of the page: self-contained, nothing inline, colours that can be read."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import product

import pytest

PAGE = {
    entry.name: entry.read_text("utf-8") for entry in files("tadoru.web").joinpath("page").iterdir()
}
PARSED_AT_RUN_TIME = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment",
    "eval(", "new Function", "setHTML", "DOMParser",
)  # fmt: skip


def test_nothing_is_fetched_from_elsewhere() -> None:
    for name, text in PAGE.items():
        found = set(re.findall(r"https?://[^\s\"'`)]+", text))
        assert found <= {"http://www.w3.org/2000/svg"}, name
        assert "@import" not in text and "url(" not in text, name


def test_every_import_and_asset_is_there() -> None:
    for name, text in PAGE.items():
        for target in re.findall(r'from "\./([\w.]+)"', text):
            assert target in PAGE, f"{name} imports {target}"
    index = PAGE["index.html"]
    named = re.findall(r'(?:src|href)="page/([\w.]+)"', index)
    assert named and set(named) <= set(PAGE)


def test_nothing_is_inline_and_no_text_is_parsed_as_markup() -> None:
    index = PAGE["index.html"]
    assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)", index)
    for name, text in PAGE.items():
        assert not [word for word in PARSED_AT_RUN_TIME if word in text], name


@pytest.mark.parametrize("name", [name for name in PAGE if name.endswith((".js", ".css"))])
def test_files_stay_short(name: str) -> None:
    assert PAGE[name].count("\n") < 300


def schemes() -> dict[str, dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\n\s*\}", PAGE["base.css"], re.DOTALL)
    pairs = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]
    return {"light": pairs[0], "dark": {**pairs[0], **pairs[1]}}


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the ratio of WCAG 2.1, 1.4.3."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


FILLS = [*(f"c{index}" for index in range(10)), "other", "age0", "age1"]
TEXT_ON = [
    *product(["on-fill"], FILLS),
    ("on-middle", "age2"),
    *product(["on-pale"], ["age3", "age4"]),
    *product(["ink", "quiet", "accent"], ["paper", "surface", "sunk"]),
    *product(["ink"], ["box", "box2", "good-tint", "warm-tint", "bad-tint"]),
    *((f"{name}", f"{name}-tint") for name in ("good", "bad", "warm")),
    *product(["accent"], ["tint", "good-tint", "warm-tint", "bad-tint"]),
    ("on-accent", "accent"),
    ("quiet", "bad-tint"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_aa(scheme: str) -> None:
    colours = schemes()[scheme]
    poor = {
        f"{text} on {ground}": round(ratio, 2)
        for text, ground in TEXT_ON
        if (ratio := contrast(colours[text], colours[ground])) < 4.5
    }
    assert not poor


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_edges_of_fields_have_the_contrast_of_aa(scheme: str) -> None:
    colours = schemes()[scheme]
    for ground in ("paper", "surface"):
        assert contrast(colours["edge"], colours[ground]) >= 3
