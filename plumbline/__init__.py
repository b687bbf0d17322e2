"""Ask questions about data, from Python: `Plumbline.open("data.csv").ask("How many orders are there?")`."""

from agent import __version__
from agent.core.errors import PlumblineError
from agent.platform.config.settings import Settings
from plumbline.client import Plumbline
from plumbline.result import Result

__all__ = ["Plumbline", "PlumblineError", "Result", "Settings", "__version__"]
