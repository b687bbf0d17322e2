"""The cases of the rules on values that differ only in case or outer spaces. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, Case

from agent.checks.rules.lookup import LookedUp
from agent.core.models import Check

STORED = Check(name="filter_values", passed=True, detail="Every text that is filtered on is stored in its column.")
M = ("readers", "channel", "M")
SPELLED = LookedUp(check=STORED, variants={M: ("M", "m")})
PADDED = LookedUp(check=STORED, variants={M: ("M", "M ", "m"), ("readers", "channel", "T"): (" T", "T")})
UNSTORED = LookedUp(check=STORED, variants={("readers", "name", "aDa"): ("ADA", "Ada")})
APART = LookedUp(check=STORED, spellings={("readers", "channel"): (("M", "m"), ("T", "T "))})
COUNTED = "SELECT COUNT(DISTINCT {}) FROM readers"
FIRST = "SELECT channel FROM readers GROUP BY channel ORDER BY COUNT(*) DESC LIMIT 1"
BY = "SELECT COUNT(*) FROM readers WHERE channel"
BOTH = f"{BY} IN ('M', 'm')"
GROUPED = "SELECT channel, COUNT(*) FROM readers GROUP BY channel"
SPLIT = (("M", 3), ("m", 2))


def _left(sql: str, why: str, looked_up: LookedUp | None = SPELLED) -> Case:
    return Case(sql, None, why, looked_up=looked_up)


SPELLING_CASES: dict[str, tuple[Case, ...]] = {
    "case_variants": (
        Case(f"{BY} = 'M'", BOTH, "both spellings", looked_up=SPELLED),
        Case("SELECT COUNT(*) FROM readers WHERE 'M' = channel", BOTH, "the other way round", looked_up=SPELLED),
        Case(f"{BY} IN ('M', 'T')", f"{BY} IN ('M', 'T', 'm')", "one of a list", looked_up=SPELLED),
        Case(f"{BY} IN ('T', 'M')", f"{BY} IN ('T', 'M', ' T', 'M ', 'm')", "each of a list", looked_up=PADDED),
        Case(f"{BY} = 'M' AND since > 2000", f"{BY} IN ('M', 'M ', 'm') AND since > 2000", "spaces", looked_up=PADDED),
        Case(
            "SELECT id FROM readers WHERE name = 'aDa'",
            "SELECT id FROM readers WHERE name IN ('ADA', 'Ada')",
            "a spelling that is not stored is left out",
            looked_up=UNSTORED,
        ),
        Case(
            "SELECT SUM(CASE WHEN channel = 'M' THEN 1 ELSE 0 END) FROM readers",
            "SELECT SUM(CASE WHEN channel IN ('M', 'm') THEN 1 ELSE 0 END) FROM readers",
            "in CASE",
            looked_up=SPELLED,
        ),
        Case(
            "SELECT r.id FROM readers AS r WHERE r.channel = 'M' AND r.name = 'Ada'",
            "SELECT r.id FROM readers AS r WHERE r.channel IN ('M', 'm') AND r.name = 'Ada'",
            "beside another condition",
            looked_up=SPELLED,
        ),
        Case(
            "SELECT id FROM loans WHERE reader_id IN (SELECT id FROM readers WHERE channel = 'M')",
            "SELECT id FROM loans WHERE reader_id IN (SELECT id FROM readers WHERE channel IN ('M', 'm'))",
            "inside",
            looked_up=SPELLED,
        ),
        Case(
            "SELECT channel FROM readers GROUP BY channel HAVING channel = 'M'",
            "SELECT channel FROM readers GROUP BY channel HAVING channel IN ('M', 'm')",
            "in HAVING",
            looked_up=SPELLED,
        ),
        Case(f"{BY} IN ('M', id, NULL)", f"{BY} IN ('M', id, NULL, 'm')", "beside what is no text", looked_up=SPELLED),
        *(
            Case(sql.format("channel"), sql.format("LOWER(TRIM(channel))"), why, looked_up=APART)
            for sql, why in (
                (COUNTED, "different texts are counted"),
                (f"{COUNTED} WHERE since > 2000 AND channel <> ''", "of some rows"),
                ("SELECT since, COUNT(DISTINCT {}) AS n FROM readers GROUP BY since", "in each group"),
                ("SELECT name FROM readers GROUP BY name HAVING COUNT(DISTINCT {}) > 1", "in a condition"),
                ("SELECT n FROM (SELECT COUNT(DISTINCT {}) AS n FROM readers) AS x", "in a query inside"),
                ("SELECT COUNT(DISTINCT {}) * 100 / COUNT(*) FROM readers", "calculated with"),
            )
        ),
        Case(
            f"{COUNTED.format('r.channel')} AS r JOIN loans AS l ON l.reader_id = r.id",
            f"{COUNTED.format('LOWER(TRIM(r.channel))')} AS r JOIN loans AS l ON l.reader_id = r.id",
            "of a join",
            looked_up=APART,
        ),
        _left(COUNTED.format("name"), "another column is counted", APART),
        _left(COUNTED.format("LOWER(TRIM(channel))"), "folded before it is counted", APART),
        _left("SELECT COUNT(channel) FROM readers", "rows are counted", APART),
        _left(COUNTED.format("channel, since"), "pairs are counted", APART),
        _left("SELECT DISTINCT channel FROM readers", "nothing is counted", APART),
        _left(f"{COUNTED.format('channel')} WHERE id > 3", "no variants are stored", LookedUp(check=STORED)),
        _left(BOTH, "both are there"),
        _left(f"{BY} IN ('m', 'M')", "in another order"),
        _left(f"{BY} = 'T'", "another text"),
        _left(f"{BY} <> 'M'", "what is left out"),
        _left(f"{BY} NOT IN ('M')", "not in a list"),
        _left(f"{BY} LIKE 'M%'", "a pattern"),
        _left("SELECT COUNT(*) FROM readers WHERE LOWER(channel) = 'm'", "folded already"),
        _left("SELECT id FROM readers WHERE name = 'M'", "another column"),
        _left("SELECT 'M' FROM readers", "no condition"),
        _left(f"{BY} = 'M' AND id > 1", "no variant is stored", LookedUp(check=STORED)),
        _left("SELECT COUNT(*) FROM readers WHERE since > 2000", "nothing was looked up", None),
    ),
    "case_groups": (
        Case(GROUPED, DOUBT, "two groups of one name", rows=SPLIT),
        Case(GROUPED, DOUBT, "outer spaces", rows=(("M", 3), ("M ", 2))),
        Case(GROUPED, DOUBT, "three of one name", rows=(("T", 1), ("M", 3), ("m", 2), ("m ", 1))),
        Case(f"{GROUPED} ORDER BY 2 DESC", DOUBT, "sorted", rows=SPLIT),
        Case("SELECT channel, COUNT(*) FROM readers GROUP BY 1", DOUBT, "by position", rows=SPLIT),
        Case("SELECT channel AS c, COUNT(*) FROM readers GROUP BY c", DOUBT, "by alias", rows=SPLIT),
        Case(
            "SELECT COUNT(*), channel FROM readers GROUP BY channel",
            DOUBT,
            "the last column",
            rows=((3, "M"), (2, "m")),
        ),
        Case("SELECT DISTINCT channel FROM readers", DOUBT, "distinct values", rows=(("M",), ("m",))),
        Case(
            "SELECT name, channel, COUNT(*) FROM readers GROUP BY name, channel",
            DOUBT,
            "two names",
            rows=(("Ada", "M", 1), ("ada", "m", 1)),
        ),
        Case(
            "SELECT r.channel, COUNT(*) FROM readers AS r JOIN loans AS l ON l.reader_id = r.id GROUP BY r.channel",
            DOUBT,
            "of a join",
            rows=SPLIT,
        ),
        *(
            Case(sql, DOUBT, why, looked_up=APART, rows=rows)
            for sql, why, rows in (
                (FIRST, "the other may be cut off", (("M",),)),
                (f"{GROUPED} ORDER BY 2 DESC LIMIT 2", "the first two", (("M", 3), ("T", 2))),
                ("SELECT COUNT(*) FROM readers GROUP BY channel ORDER BY 1 DESC LIMIT 1", "a number alone", ((3,),)),
                ("SELECT DISTINCT channel FROM readers ORDER BY channel LIMIT 1", "distinct values, cut", (("M",),)),
                (f"{GROUPED} LIMIT 9", "the rows are too many to be read", None),
            )
        ),
        Case(FIRST, None, "no variants are stored", looked_up=LookedUp(check=STORED), rows=(("T",),)),
        Case(FIRST.replace("channel", "name"), None, "another column", looked_up=APART, rows=(("M",),)),
        Case(GROUPED, None, "all groups are shown", looked_up=APART, rows=(("M", 3), ("T", 1))),
        Case(GROUPED, None, "other names", rows=(("M", 3), ("T", 2))),
        Case(GROUPED, None, "one group", rows=(("M", 3),)),
        Case(GROUPED, None, "no rows", rows=()),
        Case(GROUPED, None, "not all rows are known"),
        Case(GROUPED, None, "NULL is no text", rows=((None, 3), ("none", 2))),
        Case(GROUPED, None, "units", rows=(("mW", 3), ("MW", 2))),
        Case(GROUPED, None, "ids", rows=(("aB3", 3), ("AB3", 2))),
        Case(
            "SELECT id, channel, COUNT(*) FROM readers GROUP BY id, channel",
            None,
            "an id tells them apart",
            rows=((1, "M", 1), (2, "m", 1)),
        ),
        Case(
            "SELECT name, channel, COUNT(*) FROM readers GROUP BY name, channel",
            None,
            "the other name differs",
            rows=(("Ada", "M", 1), ("Bo", "m", 1)),
        ),
        Case("SELECT channel FROM readers", None, "no groups", rows=(("M",), ("m",))),
        Case("SELECT COUNT(*) FROM readers GROUP BY channel", None, "the names are not shown", rows=((3,), (2,))),
        Case("SELECT since, COUNT(*) FROM readers GROUP BY since", None, "numbers", rows=((1999, 3), (2021, 2))),
        Case("SELECT UPPER(channel), COUNT(*) FROM readers GROUP BY UPPER(channel)", None, "folded", rows=(("M", 5),)),
    ),
}
