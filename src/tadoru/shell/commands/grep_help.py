"""What `grep --help` and `grep --version` say."""

from __future__ import annotations

VERSION = "grep (tadoru), as GNU grep 3.8\n"

HELP = """\
Usage: grep [OPTION]... PATTERNS [FILE]...
Print the lines of each FILE in which one of PATTERNS (one a line) matches.

Patterns
  -G, --basic-regexp (default)   -E, --extended-regexp
  -F, --fixed-strings            -P, --perl-regexp
  -e, --regexp=PATTERNS          -f, --file=FILE
  -i, --ignore-case              --no-ignore-case
  -w, --word-regexp              -x, --line-regexp
  -v, --invert-match             -z, --null-data
Output
  -n, --line-number              -b, --byte-offset
  -H, --with-filename            -h, --no-filename
  -o, --only-matching            -c, --count
  -l, --files-with-matches       -L, --files-without-match
  -q, --quiet, --silent          -s, --no-messages
  -m, --max-count=NUM            --label=LABEL
  -Z, --null                     -T, --initial-tab
  --color[=WHEN]                 --line-buffered
  -A, --after-context=NUM        -B, --before-context=NUM
  -C, --context=NUM, -NUM        --group-separator=SEP, --no-group-separator
Files
  -r, --recursive                -R, --dereference-recursive
  --include=GLOB                 --exclude=GLOB
  --exclude-dir=GLOB             --exclude-from=FILE
  -d, --directories=ACTION       -D, --devices=ACTION
  -a, --text                     -I, --binary-files=TYPE
"""
