"""ContextWeaver, read in its code: each call's scan closed the store that the next one still
held."""

from __future__ import annotations

import time


def test_the_second_question_of_one_process_is_answered_as_well(new_tree):
    tree = new_tree({"a.py": "def alpha(): ...\n", "b.py": "def beta(): ...\n"})
    assert tree.hits("alpha")[0] == "a.py"
    assert tree.hits("beta")[0] == "b.py"
    tree.write({"c.py": "def gamma(): ...\n"})
    time.sleep(0.1)
    assert tree.hits("gamma")[0] == "c.py"
    assert tree.hits("alpha")[0] == "a.py"
