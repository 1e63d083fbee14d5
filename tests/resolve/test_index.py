"""The index of names, and what is gathered from it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

from tadoru.resolve.answer import make_context
from tadoru.resolve.candidates import gather
from tadoru.resolve.features import FEATURES
from tadoru.resolve.index import path_index
from tadoru.resolve.model import ABSENT_FEATURES, absent_vector, load_weights
from tadoru.tree import Tree
from tadoru.types import Entry, Kind
from tadoru.views import View


def test_an_index_is_built_once_and_goes_with_its_tree() -> None:
    tree = Tree([Entry("a/b.py", Kind.FILE)])
    index = path_index(tree)
    assert path_index(tree) is index
    alive, alive_index = weakref.ref(tree), weakref.ref(index)
    del tree, index
    gc.collect()
    assert alive() is None
    assert alive_index() is None


def test_no_cap_drops_the_truth_among_a_thousand_of_one_name(view_of: Callable[..., View]) -> None:
    files = [f"components/part{n:04}/translations/de.json" for n in range(1_200)]
    view = view_of(files)
    for written in (
        "part0713/translations/de.json",
        "components/part0713/translation/de.json",
        "/app/components/part0713/de.json",
        "components/part0713/translations/de.yaml",
    ):
        context = make_context(view, written)
        found = gather(context.index, context.request)
        assert "components/part0713/translations/de.json" in found
        assert len(found) < 250


def test_features_and_weights_have_the_same_length(shop: View) -> None:
    context = make_context(
        shop, "internal/config/laoder.go", history=["README.md"], intent="config"
    )
    paths = gather(context.index, context.request, context.history, context.intent)
    vectors = [context.vector(path) for path in paths]
    weights = load_weights()
    assert {len(vector) for vector in vectors} == {len(FEATURES)} == {len(weights.candidate)}
    assert len(absent_vector(context, vectors)) == len(ABSENT_FEATURES) == len(weights.absent)
    assert all(isinstance(value, float) for vector in vectors for value in vector)


def test_weights_and_features_name_the_same_things() -> None:
    import json
    from pathlib import Path

    import tadoru.resolve.model as model

    data = json.loads(Path(model.__file__).with_name("weights.json").read_text())
    assert set(data["candidate"]) == set(FEATURES)
    assert set(data["absent"]) == set(ABSENT_FEATURES)


def test_calibration_rises_from_nothing_to_certainty() -> None:
    knots = load_weights().calibration
    assert list(knots) == sorted(knots)
    assert [y for _, y in knots] == sorted(y for _, y in knots)
    assert knots[0] == (0.0, 0.0)
    assert knots[-1][0] == 1.0
