"""`python -m tadoru` is the command `tadoru`.

`-m` lets modules come from the working directory first, which may be a repository with an `mcp` or
a `click` of its own: it is taken out before anything is imported. `python -P` never puts it there.
"""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]
    from tadoru.cli import main

    sys.exit(main())
