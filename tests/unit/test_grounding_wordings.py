"""Sentences as people write them about groups, series and prices: bounds of some or all, ranges, kinds of measure."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult

Rows = tuple[tuple[JsonValue, ...], ...]


def facts(question: str, columns: str, rows: Rows, sql: str) -> Facts:
    return Facts(question=question, result=QueryResult(columns=tuple(columns.split()), rows=rows), sql=sql)


FACTS = {
    "ADMISSIONS": facts(
        "How many admissions did each department have in 2023?",
        "department admissions",
        (("Cardiology", 48), ("Surgery", 36), ("Pediatrics", 24), ("Neurology", 12)),
        "SELECT d.name AS department, COUNT(*) AS admissions FROM admissions a JOIN departments d ON "
        "d.department_id = a.department_id WHERE a.admitted_on >= '2023-01-01' AND a.admitted_on < "
        "'2024-01-01' GROUP BY d.name ORDER BY admissions DESC",
    ),
    "LATE": facts(
        "What percentage of invoices was late?",
        "late_percent",
        ((18.75,),),
        "SELECT 100.0 * SUM(late) / COUNT(*) AS late_percent FROM invoices",
    ),
    "LOANS": facts(
        "Which five titles were borrowed most often?",
        "title loans",
        (("1984", 31), ("Catch-22", 27), ("Fahrenheit 451", 19), ("Dune", 12), ("Emma", 12)),
        "SELECT title, COUNT(*) AS loans FROM loans GROUP BY title ORDER BY loans DESC, title LIMIT 5",
    ),
    "PRICES": facts(
        "What is the average home price in each city?",
        "city avg_price_eur",
        (("Lyon", 500000.0), ("Nantes", 298500.0), ("Torino", 200000.0)),
        "SELECT city, AVG(price_eur) AS avg_price_eur FROM homes WHERE price_eur IS NOT NULL GROUP BY city "
        "ORDER BY avg_price_eur DESC",
    ),
    "VISITORS": facts(
        "How many visitors did the Central branch have each month in 2024?",
        "month visitors",
        (
            ("2024-01", 3000),
            ("2024-02", 3300),
            ("2024-03", 5000),
            ("2024-04", 4400),
            ("2024-05", 4100),
            ("2024-06", 6200),
        ),
        "SELECT month, SUM(visitors) AS visitors FROM visits WHERE branch = 'Central' GROUP BY month ORDER BY month",
    ),
    "ENDS": facts(
        "What was the lowest and highest attendance at Harbour 04 matches?",
        "lowest highest",
        ((8700, 9900),),
        "SELECT MIN(attendance) AS lowest, MAX(attendance) AS highest FROM matches WHERE team = 'Harbour 04'",
    ),
    "UNPRICED": facts(
        "What is the price of the home at 88 Calle Sol?",
        "price_eur",
        ((None,),),
        "SELECT price_eur FROM homes WHERE address = '88 Calle Sol'",
    ),
    "UNPRICED_DE": facts(
        "Was kostet das Haus 88 Calle Sol?",
        "price_eur",
        ((None,),),
        "SELECT price_eur FROM homes WHERE address = '88 Calle Sol'",
    ),
    "MEMBERS_KO": facts(
        "각 종목의 회원은 몇 명인가요?",
        "sport members",
        (("Tennis", 128), ("Judo", 64), ("Rudern", 48), ("Schach", 16)),
        "SELECT sport, COUNT(*) AS members FROM members GROUP BY sport ORDER BY members DESC",
    ),
    "MEMBERS_FR": facts(
        "Combien de membres a chaque sport ?",
        "sport members",
        (("Tennis", 128), ("Judo", 64), ("Rudern", 48), ("Schach", 16)),
        "SELECT sport, COUNT(*) AS members FROM members GROUP BY sport ORDER BY members DESC",
    ),
    "MEMBERS_DE": facts(
        "Wie viele Mitglieder hat jede Sportart?",
        "sport members",
        (("Tennis", 128), ("Judo", 64), ("Rudern", 48), ("Schach", 16)),
        "SELECT sport, COUNT(*) AS members FROM members GROUP BY sport ORDER BY members DESC",
    ),
}


@pytest.mark.parametrize(
    "asked, sentence",
    [
        ("ADMISSIONS", "All but one department had more than 20 admissions in 2023."),
        ("ADMISSIONS", "The top three in 2023 are Cardiology, Surgery and Pediatrics."),
        ("ADMISSIONS", "Cardiology accounts for 40% of all 120 admissions in 2023."),
        ("LATE", "Nearly one fifth of the invoices were late."),
        ("LOANS", "1984 was borrowed 31 times, ahead of Catch-22 with 27 and Fahrenheit 451 with 19."),
        ("LOANS", "Dune and Emma were both borrowed 12 times."),
        ("ADMISSIONS", "In 2023, no department had more than 50 admissions."),
        ("ADMISSIONS", "In 2023, Cardiology and Surgery each had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, two departments had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, only Neurology had fewer than 20 admissions."),
        ("ADMISSIONS", "In 2023, all departments had at least 12 admissions."),
        ("ADMISSIONS", "In 2023, the fewest admissions were in Neurology (12)."),
        ("ADMISSIONS", "In 2023, every department had more than 10 admissions."),
        ("ADMISSIONS", "In 2023, Cardiology and Surgery together accounted for 70% of all admissions."),
        ("ADMISSIONS", "In 2023, the top two were Cardiology and Surgery."),
        ("PRICES", "The average home price in Lyon is €500,000, 2.5 times as expensive as Torino."),
        ("PRICES", "Torino has the cheapest homes on average."),
        ("PRICES", "Lyon has a higher average home price than Nantes."),
        ("VISITORS", "At the Central branch, visitors more than doubled between January and June 2024."),
        ("VISITORS", "In 2024 the Central branch had between 3,000 and 6,200 visitors a month."),
        ("VISITORS", "The Central branch had more than 4,000 visitors in four months of 2024."),
        ("ENDS", "The attendance at Harbour 04 matches ranged from 8,700 to 9,900."),
        ("UNPRICED", "There is no price for the home at 88 Calle Sol."),
        ("UNPRICED", "No price is known for 88 Calle Sol."),
        ("MEMBERS_KO", "Tennis가 128명으로 가장 많고, Schach가 16명으로 가장 적습니다."),
        ("MEMBERS_FR", "Tennis compte 128 membres, soit la moitié des 256 membres."),
        ("MEMBERS_FR", "Seul Tennis compte plus de 100 membres."),
        ("MEMBERS_FR", "Tous les sports sauf Schach comptent plus de 40 membres."),
        ("MEMBERS_DE", "Nur Tennis hat mehr als 100 Mitglieder."),
        ("MEMBERS_DE", "Alle Sportarten außer Schach haben mehr als 40 Mitglieder."),
        ("MEMBERS_DE", "Keine Sportart hat mehr als 200 Mitglieder."),
        ("MEMBERS_DE", "Tennis und Judo haben jeweils mehr als 50 Mitglieder."),
    ],
)
def test_what_the_rows_say_is_shown(asked: str, sentence: str) -> None:
    assert check_text(sentence, FACTS[asked]).problems == ()


@pytest.mark.parametrize(
    "asked, sentence",
    [
        ("LATE", "More than a quarter of the invoices were late."),
        ("LOANS", "Dune, 1984 and Emma were each borrowed 12 times."),
        ("LOANS", "Dune was borrowed 12 times, ahead of Catch-22 with 27."),
        ("LOANS", "Dune was borrowed 12 times as often."),
        ("ADMISSIONS", "In 2023, no other department has fewer admissions than Cardiology (48)."),
        ("ADMISSIONS", "In 2023, no department had more than 40 admissions."),
        ("ADMISSIONS", "In 2023, Cardiology and Neurology each had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, three departments had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, only Cardiology had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, all but one department had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, all departments but Neurology had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, all departments had more than 12 admissions."),
        ("ADMISSIONS", "In 2023, the top two were Cardiology and Pediatrics."),
        ("ADMISSIONS", "In 2023, the top three are Surgery, Cardiology and Neurology."),
        ("ADMISSIONS", "In 2023, the bottom two were Surgery and Neurology."),
        ("ADMISSIONS", "In 2023, admissions ranged from 24 in Pediatrics to 48 in Cardiology."),
        ("ADMISSIONS", "In 2023, admissions ranged from 36 to 48."),
        ("ADMISSIONS", "In 2023, both Cardiology and Surgery had 48 admissions."),
        ("ADMISSIONS", "In 2023, Cardiology and Surgery both had more than 40 admissions."),
        ("ADMISSIONS", "In 2023, Surgery led Cardiology with 36 admissions."),
        ("ADMISSIONS", "In 2023, Surgery was ahead of Cardiology with 48."),
        ("ADMISSIONS", "In 2023, Cardiology had 48 admissions, ahead of Surgery with 24."),
        ("ADMISSIONS", "In 2023, Neurology had 12 admissions, ahead of Pediatrics with 24."),
        ("ADMISSIONS", "In 2023, Cardiology had more than any other department, except Surgery."),
        ("ADMISSIONS", "In 2023, Surgery had more admissions than any other department."),
        ("ADMISSIONS", "In 2023, Cardiology had 48 admissions, 20 more than Surgery."),
        ("ADMISSIONS", "In 2023, Cardiology had 48 admissions, 12 fewer than Surgery."),
        ("ADMISSIONS", "In 2023, Surgery had 36 admissions, 12 more than Cardiology."),
        ("ADMISSIONS", "In 2023, admissions doubled."),
        ("ADMISSIONS", "In 2023, admissions at Cardiology doubled to 48."),
        ("ADMISSIONS", "In 2023, Cardiology was the most expensive department with 48."),
        ("ADMISSIONS", "In 2023, Cardiology was the busiest department on weekends with 48 admissions."),
        ("ADMISSIONS", "In 2023, a quarter of all admissions were in Cardiology."),
        ("ADMISSIONS", "In 2023, Cardiology had one third of the admissions."),
        ("ADMISSIONS", "In 2023, two thirds of all departments had more than 20 admissions."),
        ("ADMISSIONS", "In 2023, not all departments had admissions."),
        ("ADMISSIONS", "In 2023, neither Cardiology nor Surgery had more than 30 admissions."),
        ("ADMISSIONS", "In 2023, only two departments had more than 20 admissions."),
        ("ADMISSIONS", "In 2023, at most 40 admissions were made in each department."),
        ("ADMISSIONS", "In 2023, every department had fewer than 48 admissions."),
        ("ADMISSIONS", "In 2023, Cardiology had 48 admissions in March."),
        ("ADMISSIONS", "In 2023, the four departments had 48 admissions each."),
        ("ADMISSIONS", "In 2023, all four departments had 120 admissions each."),
        ("ADMISSIONS", "In 2023, Cardiology had 48 of 100 admissions."),
        ("ADMISSIONS", "In 2023, Cardiology had 40% of all 140 admissions."),
        ("ADMISSIONS", "In 2023, Pediatrics and Neurology each had 24 admissions."),
        ("ADMISSIONS", "In 2023, admissions averaged 40 per department."),
        ("ADMISSIONS", "In 2023, admissions varied from 12 to 36."),
        ("ADMISSIONS", "In 2023, nearly all admissions were in Cardiology (48)."),
        ("ADMISSIONS", "In 2023, Cardiology's 48 admissions were twice Surgery's 36."),
        ("ADMISSIONS", "In 2023, Cardiology had 4 times as many admissions as Pediatrics."),
        ("ADMISSIONS", "In 2023, less than half of the departments had more than 20 admissions."),
        ("ADMISSIONS", "In 2023, the second most admissions were in Pediatrics (24)."),
        ("ADMISSIONS", "In 2023, Cardiology had 48 times as many admissions."),
        ("PRICES", "Torino is the most expensive city with an average home price of €200,000."),
        ("PRICES", "Lyon is the cheapest city on average."),
        ("PRICES", "Nantes is cheaper than Torino on average."),
        ("PRICES", "Lyon is cheaper than Nantes."),
        ("PRICES", "Torino is more expensive than Nantes."),
        ("PRICES", "No city is more expensive than Torino."),
        ("PRICES", "No other city is more expensive than Nantes."),
        ("PRICES", "Lyon is twice as expensive as Torino."),
        ("PRICES", "Homes in Torino are 2.5 times as expensive as in Lyon."),
        ("PRICES", "Lyon is the busiest city with an average of €500,000."),
        ("PRICES", "Lyon is the most popular city."),
        ("PRICES", "Lyon costs €298,500 on average."),
        ("PRICES", "Only Nantes has an average price above €200,000."),
        ("PRICES", "All cities have an average price above €250,000."),
        ("PRICES", "Two cities have an average price above €300,000."),
        ("PRICES", "Rents average €500,000 in Lyon."),
        ("PRICES", "Torino is half as expensive as Lyon."),
        ("PRICES", "The average home price fell from €500,000 in Lyon to €298,500 in Nantes."),
        ("PRICES", "The price in Lyon is at most €400,000."),
        ("PRICES", "Homes cost between €298,500 and €500,000."),
        ("PRICES", "Lyon is the largest city with an average price of €500,000."),
        ("PRICES", "Lyon has the oldest homes with an average price of €500,000."),
        ("VISITORS", "At the Central branch, visitors more than doubled between January and May 2024."),
        ("VISITORS", "At the Central branch, visitors tripled between January and June 2024."),
        ("VISITORS", "At the Central branch, visitors doubled between March and June 2024."),
        ("VISITORS", "At the Central branch, visitors halved between January and June 2024."),
        ("VISITORS", "The Central branch had 26,000 visitors in total from January to May 2024."),
        ("VISITORS", "The Central branch had 11,300 visitors in total from January to April 2024."),
        ("VISITORS", "The Central branch had 9,200 visitors in total from January to June 2024."),
        ("VISITORS", "At the Central branch there were 3,300 visitors in February 2024, 10% fewer than in January."),
        ("VISITORS", "At the Central branch there were 3,000 visitors in January 2024, 10% more than in February."),
        ("VISITORS", "At the Central branch, visitors rose from 6,200 in January to 3,000 in June 2024."),
        ("VISITORS", "At the Central branch, visitors fell between January and June 2024."),
        ("VISITORS", "At the Central branch visitors rose steadily every month of 2024."),
        ("VISITORS", "The Central branch had more than 4,000 visitors in every month of 2024."),
        ("VISITORS", "The Central branch had more than 5,000 visitors in three months of 2024."),
        ("VISITORS", "The Central branch had visitors ranging from 3,300 to 6,200 in 2024."),
        ("VISITORS", "The busiest month of 2024 at the Central branch was March."),
        ("VISITORS", "The quietest month of 2024 at the Central branch was February."),
        ("VISITORS", "June 2024 was twice as busy as March at the Central branch."),
        ("VISITORS", "Between March and May 2024, visitors of the Central branch increased by 900."),
        ("VISITORS", "In the Central branch, there were 12,000 visitors in the first quarter of 2024."),
        ("VISITORS", "The Central branch averaged 5,000 visitors a month in 2024."),
        ("VISITORS", "The Central branch had 26,000 visitors in 2023."),
        ("ENDS", "The attendance at Harbour 04 matches ranged from 9,900 to 8,700."),
        ("ENDS", "Harbour 04 matches were attended by 9,900 on average."),
        ("ENDS", "All Harbour 04 matches had an attendance above 9,000."),
        ("ENDS", "The attendance at Harbour 04 matches doubled from 8,700 to 9,900."),
        ("UNPRICED", "88 Calle Sol has no home."),
        ("UNPRICED", "There is none at 88 Calle Sol."),
        ("UNPRICED", "Nobody lives at 88 Calle Sol."),
        ("UNPRICED", "The home at 88 Calle Sol has no rooms."),
        ("UNPRICED_DE", "Es gibt kein Haus 88 Calle Sol."),
        ("MEMBERS_KO", "Tennis가 128명으로 가장 적고, Schach가 16명으로 가장 많습니다."),
        ("MEMBERS_KO", "Judo가 Tennis보다 회원이 많습니다."),
        ("MEMBERS_KO", "Tennis 회원은 Judo의 3배입니다."),
        ("MEMBERS_KO", "모든 종목의 회원은 128명입니다."),
        ("MEMBERS_KO", "Schach has the most members with 16."),
        ("MEMBERS_KO", "총 회원은 128명입니다."),
        ("MEMBERS_KO", "Tennis 회원이 128명으로 증가했습니다."),
        ("MEMBERS_KO", "Schach가 최대로 16명입니다."),
        ("MEMBERS_FR", "Seul Judo compte plus de 40 membres."),
        ("MEMBERS_FR", "Aucun sport ne compte plus de 100 membres."),
        ("MEMBERS_FR", "Tous les sports sauf Rudern comptent plus de 20 membres."),
        ("MEMBERS_FR", "Tous les sports comptent plus de 20 membres."),
        ("MEMBERS_FR", "Tennis compte deux fois moins de membres que Judo."),
        ("MEMBERS_FR", "Schach est le sport le plus cher avec 16 membres."),
        ("MEMBERS_FR", "Le nombre de membres a doublé à 128."),
        ("MEMBERS_DE", "Nur Judo hat mehr als 40 Mitglieder."),
        ("MEMBERS_DE", "Alle Sportarten haben mehr als 20 Mitglieder."),
        ("MEMBERS_DE", "Keine Sportart hat mehr als 100 Mitglieder."),
        ("MEMBERS_DE", "Zwei Sportarten haben mehr als 40 Mitglieder."),
        ("MEMBERS_DE", "Judo und Schach haben jeweils mehr als 50 Mitglieder."),
        ("MEMBERS_DE", "Die Mitgliederzahl hat sich auf 128 verdoppelt."),
        ("MEMBERS_DE", "Schach ist die beliebteste Sportart mit 16 Mitgliedern."),
        ("MEMBERS_DE", "Tennis ist die teuerste Sportart."),
        ("MEMBERS_DE", "Keine andere Sportart hat mehr Mitglieder als Judo."),
    ],
)
def test_what_the_rows_do_not_say_is_refused(asked: str, sentence: str) -> None:
    assert check_text(sentence, FACTS[asked]).problems != ()


DRIVERS = facts(
    "How many rides did each driver have?",
    "driver rides",
    (("Omar", 24), ("Pia", 16), ("Quinn", 8)),
    "SELECT driver, COUNT(*) AS rides FROM rides GROUP BY driver ORDER BY rides DESC",
)
YEARS = facts(
    "How did the sales develop?",
    "year sold",
    ((2020, 100), (2021, 120), (2022, 150), (2023, 200)),
    "SELECT year, SUM(sold) AS sold FROM bottles GROUP BY year ORDER BY year",
)


@pytest.mark.parametrize(
    "asked, sentence",
    [
        (DRIVERS, "The drivers had a total of 3 rides."),
        (DRIVERS, "There was a lead of three for Omar."),
        (DRIVERS, "Rides doubled from Quinn to Pia."),
        (DRIVERS, "Omar had the longest rides."),
        (DRIVERS, "No driver but Omar had more than 10 rides."),
        (DRIVERS, "One of the three drivers had more than 10 rides."),
        (YEARS, "Sales rose to 100 in 2020."),
        (YEARS, "Sales fell to 120 in 2021."),
        (YEARS, "Sales halved from 100 in 2020 to 200 in 2023."),
        (YEARS, "After 2021, sales were 120."),
    ],
)
def test_what_is_said_of_other_rows_or_other_times_is_refused(asked: Facts, sentence: str) -> None:
    assert check_text(sentence, asked).problems != ()


@pytest.mark.parametrize(
    "asked, sentence",
    [
        (DRIVERS, "Two of the three drivers had more than 10 rides."),
        (DRIVERS, "Omar has the most rides of the three drivers."),
        (YEARS, "Sales doubled from 100 in 2020 to 200 in 2023."),
        (YEARS, "After 100 in 2020, sales rose to 120 in 2021."),
    ],
)
def test_what_is_said_of_these_is_shown(asked: Facts, sentence: str) -> None:
    assert check_text(sentence, asked).problems == ()
