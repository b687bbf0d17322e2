"""Rules: what schema, data and the words of the question say about a query.

One file per rule, called by the rule's id; `registry.RULES` lists them. A rule of evidence `schema` or `data` may
repair what cannot run and propose an alternative to what runs. A rule of evidence `language` can only doubt.
"""
