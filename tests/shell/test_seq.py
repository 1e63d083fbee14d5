"""`seq` and `yes` as the GNU tools have them."""

from __future__ import annotations

import pytest

COMMANDS = """
seq 5
seq 2 5
seq 5 2
seq 10 -3 -2
seq 1 .5 3
seq 0.1 0.1 1.0
seq 1.00 2
seq -w 8 11
seq -w -5 5 5
seq -w 0.5 10.25
seq -s, 5
seq -s '' 3
seq -f %03g 3
seq -f 'n%.2f' 1 2
seq -f '%%%g%%' 2
seq -- -3 -1
seq -3 -1
seq -5
seq --separator=: 4
seq --equal-width 9 10
seq --format=%g 2
seq 1 inf | head -3
seq 100000000 | head -2
seq 99999999999999999999 99999999999999999999
seq 1e2 1e2
seq x
seq
seq 1 2 3 4
seq 1 0 2
seq -f %d 2
seq -f abc 2
seq -f '%g %g' 2
seq -z
seq -w -f %g 2
yes | head -2
yes a b | sed 3q
yes -- -n | head -1
yes | head -c 5
""".strip().splitlines()


@pytest.mark.parametrize("command", COMMANDS)
def test_as_gnu(both, command):
    assert both.ours(command)[:2] == both.gnu(command)[:2]


@pytest.mark.parametrize("command", ["seq x", "seq", "seq 1 2 3 4", "seq 1 0 2", "seq -f abc 2"])
def test_errors_are_in_the_words_of_gnu(both, command):
    assert both.ours(command)[2] == both.gnu(command)[2]
