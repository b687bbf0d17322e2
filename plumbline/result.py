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
    """The response to one question, field by field as `POST /api/query` has it.

    The rows are in `results`, one dict a row. `arrow`, `pandas` and `polars` give them as a table; the library has to
    be installed, and raises ImportError where it is not.
    """

    @classmethod
    def of(cls, answer: Answer) -> Result:
        """The same response. Nothing is validated again."""
        return cls.model_construct(**dict(answer))

    def arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table, with the types that all values of a column have in common."""
        import pyarrow

        with pyarrow.ipc.open_stream(self._arrow_stream()) as reader:
            return reader.read_all()

    def pandas(self) -> pandas.DataFrame:
        """The rows as a pandas data frame, by way of Arrow, so that dates are dates."""
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
