"""Errors of SQL Server by number, with Microsoft's words for them (`sys.messages`, English). The stand-in raises one if
a table has its name: `SELECT * FROM msg_240`.
"""

MESSAGES: dict[int, str] = {
    104: "ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or EXCEPT "
    "operator.",
    108: "The ORDER BY position number 3 is out of range of the number of items in the select list.",
    116: "Only one expression can be specified in the select list when the subquery is not introduced with EXISTS.",
    155: "'months' is not a recognized dateadd option.",
    240: 'Types don\'t match between the anchor and the recursive part in column "n" of recursive query "c".',
    243: "Type string is not a defined system type.",
    306: "The text, ntext, and image data types cannot be compared or sorted, except when using IS NULL or LIKE "
    "operator.",
    468: 'Cannot resolve the collation conflict between "Latin1_General_CI_AS" and "Turkish_CI_AS" in the equal to '
    "operation.",
    512: "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or "
    "when the subquery is used as an expression.",
    530: "The statement terminated. The maximum recursion 100 has been exhausted before statement completion.",
    535: "The datediff function resulted in an overflow. The number of dateparts separating two date/time instances is "
    "too large. Try to use datediff with a less precise datepart.",
    537: "Invalid length parameter passed to the LEFT or SUBSTRING function.",
    1038: "An object or column name is missing or empty. For SELECT INTO statements, verify each column has a name. "
    'For other statements, look for empty alias names. Aliases defined as "" or [] are not allowed. Change the alias '
    "to a valid name.",
    1205: "Transaction (Process ID 52) was deadlocked on lock resources with another process and has been chosen as "
    "the deadlock victim. Rerun the transaction.",
    1222: "Lock request time out period exceeded.",
    3623: "An invalid floating point operation occurred.",
    4109: "Windowed functions cannot be used in the context of another windowed function or aggregate.",
    4112: "The function 'ROW_NUMBER' must have an OVER clause with ORDER BY.",
    10753: "The function 'LAG' must have an OVER clause.",
    547: 'The UPDATE statement conflicted with the FOREIGN KEY constraint "FK_visits". The conflict occurred in '
    'database "master", table "dbo.people", column \'id\'.',
    2627: "Violation of PRIMARY KEY constraint 'PK_people'. Cannot insert duplicate key in object 'dbo.people'. The "
    "duplicate key value is (1).",
    8152: "String or binary data would be truncated.",
}

# Login errors of databases that exist and cannot be used, by the name of the database.
CLOSED: dict[str, tuple[int, str]] = {
    "restoring": (927, "Database 'restoring' cannot be opened. It is in the middle of a restore."),
    "single": (924, "Database 'single' is already open and can only have one user at a time."),
    "offline": (942, "Database 'offline' cannot be opened because it is offline."),
}
