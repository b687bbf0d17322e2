"""An answer with its rows as a table of the caller's library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent.core.answers import Answer
from executors.base import QueryResult

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Result(Answer):
    """The response to one question, with the same fields as `POST /api/query`.

    The rows are in `results`, one dict per row. `arrow`, `pandas` and `polars` return them as a table; they raise
    ImportError if the library is not installed.
    """

    @classmethod
    def of(cls, answer: Answer) -> Result:
        """A result with the same fields. Nothing is validated again."""
        return cls.model_construct(**dict(answer))

    def arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table, with the types that all values of a column have in common."""
        import pyarrow

        with pyarrow.ipc.open_stream(self._arrow_stream()) as reader:
            return reader.read_all()

    def pandas(self) -> pandas.DataFrame:
        """The rows as a pandas data frame, converted through Arrow so that dates stay dates."""
        return self.arrow().to_pandas()

    def polars(self) -> polars.DataFrame:
        """The rows as a polars data frame."""
        import polars

        return polars.read_ipc_stream(self._arrow_stream())

    def _arrow_stream(self) -> bytes:
        from agent.present.export.arrow_file import arrow_chunks

        columns: tuple[str, ...] = tuple(self.columns)
        rows: list[tuple[Any, ...]] = [tuple(row.values()) for row in self.results]
        return b"".join(arrow_chunks(QueryResult(columns=columns, rows=tuple(rows))))
