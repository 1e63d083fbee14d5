"""Links look to every command as they do to the GNU tools."""

from __future__ import annotations

import pytest

COMMANDS = """
[ -L link ]; echo $?
[ -h link ]; echo $?
[ -L docs ]; echo $?
[ -L src/readme ] && [ -f src/readme ]; echo $?
[[ -L link && -d link ]]; echo $?
test -L nope; echo $?
readlink link
readlink src/readme
readlink docs; echo $?
readlink nope; echo $?
readlink -f link/guide
readlink -f src/readme | sed 's|.*/||'
realpath --relative-to=. link/api.md
find . -type l
find . -type l -name 'l*'
find . -xtype d -name link
find -L . -type l
find . -lname '*README*'
ls -l link src/readme | awk '{print $1, $9, $10, $11}'
ls -ld link | awk '{print $1, $9, $10, $11}'
ls link
ls -F
ls -d link
stat -c '%F %N' link
stat -L -c %F link
cat src/readme
wc -l link/api.md
grep -r api link | head -2
grep -rl read . | sort
cd link && pwd
cd link && ls
du -s link/guide > /dev/null; echo $?
for f in *; do [ -L "$f" ] && echo "$f"; done
file link
head -1 src/readme
[ link -ef docs ]; echo $?
[ nope -ef nope ]; echo $?
[[ -L docs ]]; echo $?
[[ ! -L docs && -L link ]] && echo yes
[[ -L nope || -h src/readme ]] && echo yes
if test -L link -a -d link; then echo both; fi
x=link; [ -L "$x" ] && [ ! -L "$x/api.md" ]; echo $?
echo "[ -L link ]" '[[ -h x ]]'
cd link && pwd -P | sed 's|.*/||'
realpath --relative-to=. link/api.md src/readme
realpath link src/readme | sed 's|.*/||'
realpath nope/x; echo $?
realpath -e nope; echo $?
realpath -m nope/x/../y | sed 's|.*/nope|nope|'
realpath -s link | sed 's|.*/||'
realpath; echo $?
""".strip().splitlines()


@pytest.mark.parametrize("command", COMMANDS)
def test_as_gnu(both, command):
    expected, code, _ = both.gnu(command)
    # our tree is the root itself, so the directory's own name reads as nothing
    expected = expected.replace(str(both.root).encode(), b"")
    assert both.ours(command)[:2] == (expected, code)
