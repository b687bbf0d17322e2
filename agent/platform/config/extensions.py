"""What others add without a change here: a dialect, a reader of docs, a model provider.

An extension is a module; importing it calls `executors.extend.add_dialect`, `rag.docs.reading.add_reader` or
`build.add_provider`. `PLUMBLINE_EXTENSIONS` names the modules. It is code that the operator chose and that runs
with the service's rights; nothing in a request or a registry can name one. docs/extend.md shows one of each.
"""

from __future__ import annotations

from importlib import import_module

from agent.core.errors import ExtensionInvalid
from agent.platform.config.settings import Settings


def load(settings: Settings) -> None:
    """Import the extensions that the settings name; what is imported already stays as it is.

    Raises:
        ExtensionInvalid: one is not there, or cannot be added.
    """
    for name in filter(None, (part.strip() for part in settings.extensions.split(","))):
        try:
            import_module(name)
        except (ImportError, ValueError) as error:
            raise ExtensionInvalid(
                f"PLUMBLINE_EXTENSIONS: {name} cannot be added: {error}. Name modules that Python finds from the "
                "service's folder, separated by commas, and install what they need."
            ) from error
