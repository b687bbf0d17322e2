"""A fleet's questions, with their queries and rows."""

from __future__ import annotations

from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult
from rag.docs.documents import make_document

DOCS = (
    make_document("column", "Distance of the trip in kilometres.", table="trips", column="km"),
    make_document("column", "Cost of the fuel in euros.", table="trips", column="fuel_cost"),
)
Rows = tuple[tuple[JsonValue, ...], ...]


def facts(question: str, columns: str, rows: Rows, sql: str) -> Facts:
    result = QueryResult(columns=tuple(columns.split()), rows=rows)
    return Facts(question=question, result=result, sql=sql, documents=DOCS)


ASKED = {
    "fleet": facts("How many vehicles are in the fleet?", "n", ((48,),), "SELECT COUNT(*) AS n FROM vehicles"),
    "active": facts(
        "How many vehicles are active?", "n", ((31,),), "SELECT COUNT(*) AS n FROM vehicles WHERE status = 'active'"
    ),
    "distance": facts(
        "What is the total distance driven in May 2024?",
        "total_km",
        ((182344.5,),),
        "SELECT SUM(km) AS total_km FROM trips WHERE started >= '2024-05-01' AND started < '2024-06-01'",
    ),
    "fuel": facts(
        "What did fuel cost us in 2024?",
        "fuel",
        ((90412.75,),),
        "SELECT SUM(fuel_cost) AS fuel FROM trips WHERE started BETWEEN '2024-01-01' AND '2024-12-31'",
    ),
    "depots": facts(
        "How many vehicles does each depot have?",
        "depot vehicles",
        (("Hamburg", 18), ("Lyon", 13), ("Porto", 9), ("Wien", 8)),
        "SELECT depot, COUNT(*) AS vehicles FROM vehicles GROUP BY depot ORDER BY vehicles DESC",
    ),
    "halves": facts(
        "How many vehicles does each depot have?",
        "depot vehicles",
        (("Berlin", 2), ("Hamburg", 1), ("Munich", 1)),
        "SELECT depot, COUNT(*) AS vehicles FROM vehicles GROUP BY depot",
    ),
    "halves_de": facts(
        "Wie viele Fahrzeuge hat jedes Depot?",
        "depot fahrzeuge",
        (("Berlin", 2), ("Hamburg", 1), ("München", 1)),
        "SELECT depot, COUNT(*) AS fahrzeuge FROM vehicles GROUP BY depot",
    ),
    "halves_fr": facts(
        "Combien de véhicules y a-t-il par dépôt ?",
        "depot vehicules",
        (("Berlin", 2), ("Hamburg", 1), ("Munich", 1)),
        "SELECT depot, COUNT(*) AS vehicules FROM vehicles GROUP BY depot",
    ),
    "halves_es": facts(
        "¿Cuántos vehículos tiene cada depósito?",
        "deposito vehiculos",
        (("Berlin", 2), ("Hamburg", 1), ("Munich", 1)),
        "SELECT deposito, COUNT(*) AS vehiculos FROM vehicles GROUP BY deposito",
    ),
    "halves_it": facts(
        "Quanti veicoli ha ogni deposito?",
        "deposito veicoli",
        (("Berlin", 2), ("Hamburg", 1), ("Munich", 1)),
        "SELECT deposito, COUNT(*) AS veicoli FROM vehicles GROUP BY deposito",
    ),
    "models": facts(
        "What did each model cost?",
        "model cost",
        (("Sprinter", 10805.16), ("Crafter", 1894.58)),
        "SELECT model, SUM(cost) AS cost FROM trips GROUP BY model",
    ),
    "furthest": facts(
        "Which driver drove the furthest?",
        "driver km",
        (("Marta Lind", 20140.5),),
        "SELECT d.name AS driver, SUM(t.km) AS km FROM trips t JOIN drivers d ON d.id=t.driver_id "
        "GROUP BY d.name ORDER BY km DESC LIMIT 1",
    ),
    "top_three": facts(
        "Who are the top 3 drivers by distance?",
        "driver km",
        (("Marta Lind", 20140.5), ("Jo Park", 18000.0), ("Ana Reis", 15020.25)),
        "SELECT d.name AS driver, SUM(t.km) AS km FROM trips t JOIN drivers d ON d.id=t.driver_id "
        "GROUP BY d.name ORDER BY km DESC LIMIT 3",
    ),
    "repair": facts(
        "Which vehicles are in repair?",
        "plate",
        (("HH-AB 12",), ("LY-77",)),
        "SELECT plate FROM vehicles WHERE status='repair'",
    ),
    "age": facts(
        "What is the average age of our vehicles?", "avg_age", ((6.4375,),), "SELECT AVG(age) AS avg_age FROM vehicles"
    ),
    "late": facts(
        "What share of trips arrived late?", "late_share", ((0.1275,),), "SELECT AVG(late) AS late_share FROM trips"
    ),
    "months": facts(
        "How many trips were there per month in 2024?",
        "month trips",
        (("2024-01", 410), ("2024-02", 388), ("2024-03", 520)),
        "SELECT strftime('%Y-%m', started) AS month, COUNT(*) AS trips FROM trips WHERE started >= "
        "'2024-01-01' AND started < '2025-01-01' GROUP BY month ORDER BY month",
    ),
    "two_measures": facts(
        "What are the distance and the fuel cost of each depot?",
        "depot km fuel_cost",
        (("Hamburg", 5000.0, 900.5), ("Lyon", 4000.0, 700.25)),
        "SELECT depot, SUM(km) AS km, SUM(fuel_cost) AS fuel_cost FROM trips GROUP BY depot",
    ),
    "nothing": facts(
        "Which vehicles have never been serviced?",
        "plate",
        (),
        "SELECT plate FROM vehicles WHERE id NOT IN (SELECT vehicle_id FROM services)",
    ),
    "unserviced": facts(
        "Which vehicles have never been serviced?",
        "plate",
        (("HH-AB 12",), ("LY-77",)),
        "SELECT plate FROM vehicles v WHERE NOT EXISTS (SELECT 1 FROM services s WHERE s.vehicle_id = v.id)",
    ),
    "oldest": facts(
        "When was the oldest vehicle bought?",
        "bought",
        (("2011-04-02",),),
        "SELECT MIN(bought_on) AS bought FROM vehicles",
    ),
    "depots_de": facts(
        "Wie viele Fahrzeuge hat jedes Depot?",
        "depot fahrzeuge",
        (("Hamburg", 18), ("Lyon", 13), ("Porto", 9)),
        "SELECT depot, COUNT(*) AS fahrzeuge FROM vehicles GROUP BY depot ORDER BY fahrzeuge DESC",
    ),
    "active_de": facts(
        "Wie viele Fahrzeuge sind aktiv?", "n", ((31,),), "SELECT COUNT(*) AS n FROM vehicles WHERE status = 'active'"
    ),
    "distance_de": facts(
        "Wie viele Kilometer sind wir im Mai 2024 gefahren?",
        "km",
        ((182344.5,),),
        "SELECT SUM(km) AS km FROM trips WHERE started >= '2024-05-01' AND started < '2024-06-01'",
    ),
    "costly_de": facts(
        "Welches Fahrzeug hat die höchsten Kraftstoffkosten?",
        "vehicle cost",
        (("Truck 7", 9041.5),),
        "SELECT vehicle, SUM(fuel_cost) AS cost FROM trips GROUP BY vehicle ORDER BY cost DESC LIMIT 1",
    ),
    "active_fr": facts(
        "Combien de véhicules sont actifs ?",
        "n",
        ((31,),),
        "SELECT COUNT(*) AS n FROM vehicles WHERE status = 'active'",
    ),
    "depots_fr": facts(
        "Combien de véhicules y a-t-il par dépôt ?",
        "depot n",
        (("Hamburg", 18), ("Lyon", 13)),
        "SELECT depot, COUNT(*) AS n FROM vehicles GROUP BY depot ORDER BY n DESC",
    ),
    "drivers_es": facts("¿Cuántos conductores hay?", "n", ((27,),), "SELECT COUNT(*) AS n FROM drivers"),
    "fuel_it": facts(
        "Qual è il costo totale del carburante nel 2024?",
        "costo",
        ((90412.75,),),
        "SELECT SUM(fuel_cost) AS costo FROM trips WHERE started BETWEEN '2024-01-01' AND '2024-12-31'",
    ),
    "serviced": facts(
        "When was Truck 7 last serviced?",
        "last_service",
        ((None,),),
        "SELECT MAX(serviced_on) AS last_service FROM services WHERE vehicle = 'Truck 7'",
    ),
    "profit": facts(
        "What is the profit of each depot?",
        "depot profit",
        (("Hamburg", -120.5), ("Lyon", 300.0)),
        "SELECT depot, SUM(p) AS profit FROM t GROUP BY depot",
    ),
    "electric": facts(
        "What percentage of vehicles is electric?",
        "pct",
        ((12.5,),),
        "SELECT 100.0 * SUM(electric) / COUNT(*) AS pct FROM vehicles",
    ),
    "change": facts(
        "How did trips change from January to February 2024?",
        "month trips",
        (("2024-01", 400), ("2024-02", 500)),
        "SELECT strftime('%Y-%m', started) AS month, COUNT(*) AS trips FROM trips GROUP BY month",
    ),
    "more": facts(
        "Do we have more vehicles in Hamburg than in Lyon?",
        "hamburg lyon",
        ((18, 13),),
        "SELECT SUM(depot='Hamburg') AS hamburg, SUM(depot='Lyon') AS lyon FROM vehicles",
    ),
    "accidents": facts(
        "How many accidents were there in 2024?",
        "n",
        ((0,),),
        "SELECT COUNT(*) AS n FROM accidents WHERE day >= '2024-01-01' AND day < '2025-01-01'",
    ),
    "compared": facts(
        "Compare the fuel cost of Truck 7 and Truck 9.",
        "vehicle cost",
        (("Truck 7", 900.0), ("Truck 9", 600.0)),
        "SELECT vehicle, SUM(fuel_cost) AS cost FROM trips WHERE vehicle IN ('Truck 7','Truck 9') GROUP BY vehicle",
    ),
    "status": facts(
        "What is the status of Truck 7?", "status", (("repair",),), "SELECT status FROM vehicles WHERE name = 'Truck 7'"
    ),
    "insurance": facts(
        "When does the insurance of Truck 7 expire?",
        "expires_on",
        (("2025-03-31",),),
        "SELECT expires_on FROM insurances WHERE vehicle = 'Truck 7'",
    ),
}
