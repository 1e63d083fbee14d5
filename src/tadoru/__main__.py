"""`python -m tadoru` is the command `tadoru`."""

import sys

from tadoru.cli import main

if __name__ == "__main__":
    sys.exit(main())
