"""Rules: what is known of a query from the schema, from the data, and from the words of the question.

One file per rule, called by the rule's id; `registry.RULES` lists them. A rule of evidence `schema` or `data` may
repair what cannot run and propose an alternative to what runs. A rule of evidence `language` can only doubt.
"""
