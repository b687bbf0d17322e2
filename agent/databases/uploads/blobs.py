"""The data of uploads in Azure Blob Storage, for instances that share no disk: stored once, fetched on use."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.core.errors import StateUnavailable

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

    from agent.platform.config.settings import Settings

_ROLE = "give this identity the role Storage Blob Data Contributor, or check the key in its connection string"
_CLIENT_OPTIONS: dict[str, Any] = {"connection_timeout": 5, "read_timeout": 60}  # seconds
_CLIENT_OPTIONS |= {"retry_total": 2, "initial_backoff": 1, "increment_base": 2}  # a few seconds in total


class AzureBlobs:
    """The data of uploads for all instances: one blob per file, named after its upload's place, in one container.

    The container is created if it is missing. Without a connection string, `endpoint` is used with managed identity, or
    as the user of `az login`. Methods block and raise StateUnavailable.
    """

    def __init__(self, *, connection: str = "", endpoint: str = "", container: str) -> None:
        self._connection, self._endpoint, self._name = connection, endpoint, container

    def put(self, place: str, folder: Path) -> None:
        """Store the files of a folder."""
        from azure.core.exceptions import ResourceExistsError

        with _translate_errors():
            with suppress(ResourceExistsError):
                self._container.create_container()
            for path in sorted(it for it in folder.rglob("*") if it.is_file()):
                with path.open("rb") as file:
                    self._container.upload_blob(f"{place}/{path.relative_to(folder).as_posix()}", file, overwrite=True)

    def fetch(self, place: str, folder: Path) -> None:
        """Write the files into an existing folder."""
        with _translate_errors():
            for name in self._names(place):
                target = folder / name.removeprefix(f"{place}/")
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as file:
                    self._container.download_blob(name).readinto(file)

    def remove(self, place: str) -> None:
        with _translate_errors():
            for name in self._names(place):
                self._container.delete_blob(name)

    def sweep(self, known: Collection[str], before: float) -> None:
        """Delete blobs of unknown places that are older than `before`, in seconds since the epoch."""
        from azure.core.exceptions import ResourceNotFoundError

        with _translate_errors(), suppress(ResourceNotFoundError):  # no upload has created the container yet
            for blob in self._container.list_blobs():
                place = str(blob.name).partition("/")[0]
                if place not in known and blob.last_modified.timestamp() < before:
                    self._container.delete_blob(blob.name)

    def _names(self, place: str) -> list[str]:
        return [str(blob.name) for blob in self._container.list_blobs(name_starts_with=f"{place}/")]

    @cached_property
    def _container(self) -> ContainerClient:
        from azure.storage.blob import ContainerClient

        if self._connection:
            return ContainerClient.from_connection_string(self._connection, self._name, **_CLIENT_OPTIONS)
        from azure.identity import DefaultAzureCredential

        return ContainerClient(self._endpoint, self._name, credential=DefaultAzureCredential(), **_CLIENT_OPTIONS)


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise errors of Azure as StateUnavailable, without details of the request."""
    from azure.core.exceptions import AzureError, ClientAuthenticationError, HttpResponseError

    try:
        yield
    except (ClientAuthenticationError, HttpResponseError) as error:
        status = getattr(error, "status_code", None)
        what = f"refuses us: {_ROLE}" if status in (401, 403) else f"answers with an error ({status}); try again later"
        raise StateUnavailable(f"Azure Blob Storage, where uploads are kept, {what}.") from error
    except AzureError as error:
        raise StateUnavailable("Azure Blob Storage, where uploads are kept, cannot be reached. Try again.") from error


def build_blobs(settings: Settings) -> AzureBlobs | None:
    """The blobs in the account of the state's table; None if state is not in Azure or the endpoint is unknown."""
    if settings.state_kind != "azure_tables":
        return None
    container = f"{settings.azure_tables_name.lower()}-uploads"
    if settings.azure_tables_connection is not None:
        return AzureBlobs(connection=settings.azure_tables_connection.get_secret_value(), container=container)
    endpoint = settings.azure_tables_endpoint or ""
    if ".table." not in endpoint:
        return None
    return AzureBlobs(endpoint=endpoint.replace(".table.", ".blob.", 1), container=container)
