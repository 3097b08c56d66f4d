"""`python -m policylang`."""

import sys

from policylang.cli import main

if __name__ == "__main__":
    sys.exit(main())
