"""`python -m ragassay.annotation`: see commands."""

import sys

from ragassay.annotation.commands import main

sys.exit(main(sys.argv[1:]))
