"""One module per dialect that is read and written plainly, named as sqlglot names the dialect.

Each has `PLAIN`, an instance of sqlglot's dialect with the parts of `faithful` mixed in; `executors.sql.grammar` finds
it by the module's name, so that a new dialect is a new module.
"""
