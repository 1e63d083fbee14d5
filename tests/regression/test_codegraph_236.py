"""codegraph #236: notebooks were not read, or with all of their output."""

from __future__ import annotations

import base64
import json


def test_a_notebook_is_its_cells_and_not_their_output(new_tree):
    picture = base64.b64encode(bytes(range(256)) * 40).decode()
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%matplotlib inline\n"]},
        {
            "cell_type": "code",
            "metadata": {},
            "source": ["def load_frame(p):\n", "    return read(p)\n"],
            "outputs": [{"output_type": "display_data", "data": {"image/png": picture}}],
        },
    ]
    book = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4,
            "nbformat_minor": 5}  # fmt: skip
    tree = new_tree({"n.ipynb": json.dumps(book, indent=1)})
    assert [path for path, _ in tree.defined("load_frame")] == ["n.ipynb"]
    assert tree.hits("load frame") == ["n.ipynb"]
    assert picture[:40] not in tree.ask().search("load frame").text
    assert tree.hits(picture[:60]) == []
