"""`python -m ragassay.annotation`: see commands."""

import logging
import sys

from ragassay.annotation.commands import main

logging.basicConfig(format="%(message)s", stream=sys.stderr)
sys.exit(main(sys.argv[1:]))
