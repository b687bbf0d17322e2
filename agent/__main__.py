"""`python -m agent`."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  whoever has an older one shall read a sentence, not a trace
    sys.exit(f"Plumbline needs Python 3.11 or newer, and this is {sys.version_info[0]}.{sys.version_info[1]}.")

from agent.cli.main import app

app()
