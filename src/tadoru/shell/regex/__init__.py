"""Users' expressions: parsed by us, run by RE2, decided exactly, and never by Python's `re`.

`compile_posix` takes what grep takes; `perl.compile_perl` what `grep -P` and `rg` take. Both give
a `Matcher`: `literals` for the index, `lines(buffer)`, `search(line)`, `spans(line)`.
"""
