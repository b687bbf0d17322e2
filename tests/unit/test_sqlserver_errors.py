"""Errors of SQL Server's drivers: kinds, messages and hints."""

from __future__ import annotations

import pyodbc
import pytest
from sqlserver_people import EIGHTEEN, ROW, SCHEMA, server_error

from executors.engines.common.servers import failures
from executors.errors import ErrorKind
from executors.sql.driver_words import without_values


@pytest.mark.parametrize("number, message, kind, hint", [
    (208, "Invalid object name 'peple'.", ErrorKind.TABLE_NOT_FOUND, "people"),
    (208, "Invalid object name 'dbo.peple'.", ErrorKind.TABLE_NOT_FOUND, "people"),
    (207, "Invalid column name 'nmae'.", ErrorKind.COLUMN_NOT_FOUND, "name"),
    (4104, 'The multi-part identifier "p.nmae" could not be bound.', ErrorKind.COLUMN_NOT_FOUND, "name"),
    (209, "Ambiguous column name 'id'.", ErrorKind.AMBIGUOUS_COLUMN, "v.id"),
    (195, "'strftime' is not a recognized built-in function name.", ErrorKind.FUNCTION_NOT_FOUND, "FORMAT"),
    (4121, 'Cannot find either column "dbo" or the user-defined function or aggregate "dbo.f", or the name is '
           "ambiguous.", ErrorKind.FUNCTION_NOT_FOUND, ""),
    (102, "Incorrect syntax near 'LIMIT'.", ErrorKind.SYNTAX_ERROR, "TOP"),
    (156, "Incorrect syntax near the keyword 'FROM'.", ErrorKind.SYNTAX_ERROR, "SELECT"),
    (105, "Unclosed quotation mark after the character string ''.", ErrorKind.SYNTAX_ERROR, "SELECT"),
    (319, "Incorrect syntax near the keyword 'with'.", ErrorKind.SYNTAX_ERROR, "SELECT"),
    (1033, "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table "
           "expressions, unless TOP, OFFSET or FOR XML is also specified.", ErrorKind.SYNTAX_ERROR, "SELECT"),
    (8120, "Column 'people.name' is invalid in the select list because it is not contained in either an aggregate "
           "function or the GROUP BY clause.", ErrorKind.GROUPING, "GROUP BY"),
    (147, "An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a HAVING clause or "
          "a select list, and the column being aggregated is an outer reference.", ErrorKind.GROUPING, "HAVING"),
    (130, "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
     ErrorKind.GROUPING, "HAVING"),
    (164, "Each GROUP BY expression must contain at least one column that is not an outer reference.",
     ErrorKind.GROUPING, "GROUP BY"),
    (245, "Conversion failed when converting the varchar value 'a' to data type int.", ErrorKind.TYPE_MISMATCH, "Cast"),
    (241, "Conversion failed when converting date and/or time from character string.", ErrorKind.TYPE_MISMATCH, "Cast"),
    (206, "Operand type clash: date is incompatible with int", ErrorKind.TYPE_MISMATCH, "Cast"),
    (402, "The data types date and varchar are incompatible in the subtract operator.", ErrorKind.TYPE_MISMATCH, ""),
    (8114, "Error converting data type varchar to float.", ErrorKind.TYPE_MISMATCH, "Cast"),
    (8115, "Arithmetic overflow error converting expression to data type int.", ErrorKind.TYPE_MISMATCH, "Cast"),
    (8134, "Divide by zero error encountered.", ErrorKind.DIVISION_BY_ZERO, ""),
    (229, "The SELECT permission was denied on the object 'people', database 'shop', schema 'dbo'.",
     ErrorKind.PERMISSION, ""),
    (230, "The SELECT permission was denied on the column 'name' of the object 'people'.", ErrorKind.PERMISSION, ""),
    (916, 'The server principal "reader" is not able to access the database "other" under the current security '
          "context.", ErrorKind.PERMISSION, ""),
    (701, "There is insufficient system memory in resource pool 'default' to run this query.", ErrorKind.RESOURCE, ""),
    (8623, "The query processor ran out of internal resources and could not produce a query plan.",
     ErrorKind.RESOURCE, "Read less"),
    (1205, "Transaction (Process ID 5) was deadlocked on lock resources with another process and has been chosen as "
           "the deadlock victim. Rerun the transaction.", ErrorKind.RESOURCE, "ask again in a moment"),
    (104, "ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or EXCEPT "
          "operator.", ErrorKind.SYNTAX_ERROR, "order by a column of the select list"),
    (108, "The ORDER BY position number 3 is out of range of the number of items in the select list.",
     ErrorKind.SYNTAX_ERROR, "counts the columns"),
    (116, "Only one expression can be specified in the select list when the subquery is not introduced with EXISTS.",
     ErrorKind.SYNTAX_ERROR, "Select one column in the subquery"),
    (155, "'months' is not a recognized dateadd option.", ErrorKind.SYNTAX_ERROR, "month"),
    (240, "Types don't match between the anchor and the recursive part in column \"n\" of recursive query \"c\".",
     ErrorKind.TYPE_MISMATCH, "CAST that column to the same type"),
    (243, "Type string is not a defined system type.", ErrorKind.TYPE_MISMATCH, "nvarchar(n)"),
    (306, "The text, ntext, and image data types cannot be compared or sorted, except when using IS NULL or LIKE "
          "operator.", ErrorKind.TYPE_MISMATCH, "nvarchar(max)"),
    (468, 'Cannot resolve the collation conflict between "Latin1_General_CI_AS" and "Turkish_CI_AS" in the equal to '
          "operation.", ErrorKind.TYPE_MISMATCH, "COLLATE DATABASE_DEFAULT"),
    (530, "The statement terminated. The maximum recursion 100 has been exhausted before statement completion.",
     ErrorKind.RESOURCE, "100 steps"),
    (535, "The datediff function resulted in an overflow. The number of dateparts separating two date/time instances "
          "is too large. Try to use datediff with a less precise datepart.", ErrorKind.TYPE_MISMATCH, "DATEDIFF_BIG"),
    (537, "Invalid length parameter passed to the LEFT or SUBSTRING function.", ErrorKind.TYPE_MISMATCH, "CHARINDEX"),
    (1038, "An object or column name is missing or empty. For SELECT INTO statements, verify each column has a name. "
           "For other statements, look for empty alias names. Aliases defined as \"\" or [] are not allowed. Change "
           "the alias to a valid name.", ErrorKind.SYNTAX_ERROR, "AS name"),
    (3623, "An invalid floating point operation occurred.", ErrorKind.TYPE_MISMATCH, "NULLIF"),
    (4109, "Windowed functions cannot be used in the context of another windowed function or aggregate.",
     ErrorKind.GROUPING, "CTE"),
    (4112, "The function 'ROW_NUMBER' must have an OVER clause with ORDER BY.", ErrorKind.GROUPING, "OVER (ORDER BY"),
    (10753, "The function 'LAG' must have an OVER clause.", ErrorKind.GROUPING, "OVER ("),
    (515, "Cannot insert the value NULL into column 'name', table 'shop.dbo.people'; column does not allow nulls. "
          "INSERT fails.", ErrorKind.CONSTRAINT, "must have a value"),
    (547, 'The UPDATE statement conflicted with the FOREIGN KEY constraint "FK_visits". The conflict occurred in '
          'database "shop", table "dbo.people", column \'id\'.', ErrorKind.CONSTRAINT, "referred to must be there"),
    (2627, "Violation of PRIMARY KEY constraint 'PK_people'. Cannot insert duplicate key in object 'dbo.people'. The "
           "duplicate key value is (1).", ErrorKind.CONSTRAINT, "there already"),
    (8152, "String or binary data would be truncated.", ErrorKind.CONSTRAINT, "longer than the column"),
    (2628, "String or binary data would be truncated in table 'shop.dbo.people', column 'name'. Truncated value: 'a'.",
     ErrorKind.CONSTRAINT, "longer than the column"),
    (3609, "The transaction ended in the trigger. The batch has been aborted.", ErrorKind.CONSTRAINT, "trigger"),
])  # fmt: skip
def test_an_error_has_its_kind_by_number(number: int, message: str, kind: ErrorKind, hint: str) -> None:
    sql = "SELECT nmae, strftime(1), dbo.f(1) FROM people AS p JOIN visits AS v ON p.id = v.id JOIN peple ON 1 = 1"

    failed = failures.translate(server_error(number, message, state="42000"), ROW, sql, lambda: SCHEMA)

    assert failed.kind is kind
    assert hint in failed.hint
    gaps = {'"reader"': '"…"', "(Process ID 5)": "(… ID …)"}  # what the query did not say
    for said, gap in gaps.items():
        message = message.replace(said, gap)
    assert failed.message == without_values(message, sql, SCHEMA)
    assert not failed.message.startswith("[")


def test_a_message_of_the_driver_alone_is_no_tuple() -> None:
    error = pyodbc.ProgrammingError("ODBC SQL type -16 is not yet supported.  column-index=0  type=-16", "HY106")

    failed = failures.translate(error, ROW, "SELECT 1", lambda: SCHEMA)

    assert failed.kind is ErrorKind.TYPE_MISMATCH
    assert "type" in failed.message
    assert not failed.message.startswith("(")
    assert "nvarchar(4000)" in failed.hint


def test_the_drivers_own_timeout_is_a_timeout() -> None:
    error = pyodbc.OperationalError(
        "HYT00", f"[HYT00] [Microsoft][{EIGHTEEN}]Query timeout expired (0) (SQLExecDirectW)"
    )

    assert failures.translate(error, ROW, "SELECT 1", lambda: SCHEMA).kind is ErrorKind.TIMEOUT
