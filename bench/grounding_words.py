"""The sentences of `bench.grounding`: questions and true answers in five languages, with placeholders.

Holes: `n0`, `n1`, `n2` names; `v0` … their values; `v` the one value; `c` the condition, `C` where it begins;
`sum`, `mean`, `diff`, `share` what is computed; `count` how many rows there are; `round` the value in round numbers.
`HELD_OUT` was written before any rule was tuned, and is only counted.
"""

from __future__ import annotations

from collections.abc import Mapping

Sentences = Mapping[str, Mapping[str, tuple[str, ...]]]

CONDITIONS: Mapping[str, tuple[str, str]] = {
    "en": ("in March 2024", "In March 2024"),
    "de": ("im März 2024", "Im März 2024"),
    "fr": ("en mars 2024", "En mars 2024"),
    "es": ("en marzo de 2024", "En marzo de 2024"),
    "it": ("a marzo 2024", "A marzo 2024"),
}
QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "count": {
        "en": "How many trips were there in March 2024?",
        "de": "Wie viele Fahrten gab es im März 2024?",
        "fr": "Combien de trajets y a-t-il eu en mars 2024 ?",
        "es": "¿Cuántos viajes hubo en marzo de 2024?",
        "it": "Quanti viaggi ci sono stati a marzo 2024?",
    },
    "money": {
        "en": "What was the total revenue in March 2024?",
        "de": "Wie hoch war der Gesamtumsatz im März 2024?",
        "fr": "Quelles étaient les recettes totales en mars 2024 ?",
        "es": "¿Cuáles fueron los ingresos totales en marzo de 2024?",
        "it": "Quali sono stati i ricavi totali a marzo 2024?",
    },
    "top": {
        "en": "Which vehicle made the most trips in March 2024?",
        "de": "Welches Fahrzeug hatte die meisten Fahrten im März 2024?",
        "fr": "Quel véhicule a fait le plus de trajets en mars 2024 ?",
        "es": "¿Qué vehículo hizo más viajes, el mayor número, en marzo de 2024?",
        "it": "Quale veicolo ha fatto il maggior numero di viaggi a marzo 2024?",
    },
    "groups": {
        "en": "How many trips did each vehicle make in March 2024?",
        "de": "Wie viele Fahrten machte jedes Fahrzeug im März 2024?",
        "fr": "Combien de trajets chaque véhicule a-t-il faits en mars 2024 ?",
        "es": "¿Cuántos viajes hizo cada vehículo en marzo de 2024?",
        "it": "Quanti viaggi ha fatto ogni veicolo a marzo 2024?",
    },
    "countries": {
        "en": "How many customers are there in each country?",
        "de": "Wie viele Kunden gibt es in jedem Land?",
        "fr": "Combien de clients y a-t-il dans chaque pays ?",
        "es": "¿Cuántos clientes hay en cada país?",
        "it": "Quanti clienti ci sono in ogni paese?",
    },
    "series": {
        "en": "What was the revenue per month in 2024?",
        "de": "Wie hoch war der Umsatz pro Monat im Jahr 2024?",
        "fr": "Quelles étaient les recettes par mois en 2024 ?",
        "es": "¿Cuáles fueron los ingresos por mes en 2024?",
        "it": "Quali sono stati i ricavi per mese nel 2024?",
    },
    "nothing": {
        "en": "Which vehicles had an accident in March 2024?",
        "de": "Welche Fahrzeuge hatten im März 2024 einen Unfall?",
        "fr": "Quels véhicules ont eu un accident en mars 2024 ?",
        "es": "¿Qué vehículos tuvieron un accidente en marzo de 2024?",
        "it": "Quali veicoli hanno avuto un incidente a marzo 2024?",
    },
    "null": {
        "en": "What is the mileage of {n0}?",
        "de": "Wie hoch ist der Kilometerstand von {n0}?",
        "fr": "Quel est le kilométrage de {n0} ?",
        "es": "¿Cuál es el kilometraje de {n0}?",
        "it": "Qual è il chilometraggio di {n0}?",
    },
    "many": {
        "en": "What is the distance of each vehicle?",
        "de": "Wie groß ist die Strecke jedes Fahrzeugs?",
        "fr": "Quelle est la distance de chaque véhicule ?",
        "es": "¿Cuál es la distancia de cada vehículo?",
        "it": "Qual è la distanza di ogni veicolo?",
    },
    "percent": {
        "en": "What share of the trips was late in March 2024?",
        "de": "Welcher Anteil der Fahrten war im März 2024 verspätet?",
        "fr": "Quelle part des trajets était en retard en mars 2024 ?",
        "es": "¿Qué porcentaje de los viajes llegó tarde en marzo de 2024?",
        "it": "Quale quota dei viaggi era in ritardo a marzo 2024?",
    },
    "list": {
        "en": "Which vehicles are in the workshop?",
        "de": "Welche Fahrzeuge sind in der Werkstatt?",
        "fr": "Quels véhicules sont à l'atelier ?",
        "es": "¿Qué vehículos están en el taller?",
        "it": "Quali veicoli sono in officina?",
    },
}

TUNED: Sentences = {
    "count": {
        "en": (
            "There were {v} trips {c}.",
            "{C}, there were {v} trips.",
            "It was {v}.",
            "The number of trips {c} was {v}.",
        ),
        "de": (
            "Es gab {v} Fahrten {c}.",
            "{C} gab es {v} Fahrten.",
            "Es waren {v}.",
            "Die Anzahl der Fahrten {c} beträgt {v}.",
        ),
        "fr": ("Il y a eu {v} trajets {c}.", "{C}, il y a eu {v} trajets.", "Le nombre de trajets {c} est de {v}."),
        "es": ("Hubo {v} viajes {c}.", "{C} hubo {v} viajes.", "El número de viajes {c} fue {v}."),
        "it": ("Ci sono stati {v} viaggi {c}.", "{C} ci sono stati {v} viaggi.", "Il numero di viaggi {c} è {v}."),
    },
    "money": {
        "en": ("The total revenue {c} was {v}.", "{C}, revenue came to {v}.", "Total revenue {c} was about {round}."),
        "de": (
            "Der Gesamtumsatz {c} betrug {v}.",
            "{C} lag der Umsatz bei {v}.",
            "Der Umsatz {c} betrug rund {round}.",
        ),
        "fr": ("Les recettes totales {c} étaient de {v}.", "{C}, les recettes s'élevaient à {v}."),
        "es": ("Los ingresos totales {c} fueron de {v}.", "{C}, los ingresos ascendieron a {v}."),
        "it": ("I ricavi totali {c} sono stati di {v}.", "{C} i ricavi ammontavano a {v}."),
    },
    "top": {
        "en": (
            "{n0} made the most trips {c}, with {v0}.",
            "The vehicle with the most trips {c} was {n0} ({v0} trips).",
        ),
        "de": ("{n0} hatte {c} die meisten Fahrten, nämlich {v0}.", "Die meisten Fahrten {c} hatte {n0} mit {v0}."),
        "fr": (
            "{n0} a fait le plus de trajets {c}, avec {v0}.",
            "Le véhicule avec le plus de trajets {c} est {n0} ({v0}).",
        ),
        "es": ("{n0} hizo el mayor número de viajes {c}, con {v0}.", "El vehículo con más viajes {c} fue {n0} ({v0})."),
        "it": (
            "{n0} ha fatto il maggior numero di viaggi {c}, con {v0}.",
            "Il veicolo con più viaggi {c} è {n0} ({v0}).",
        ),
    },
    "groups": {
        "en": (
            "{n0} made {v0} trips {c}, {n1} {v1} and {n2} {v2}.",
            "In total there were {sum} trips {c}.",
            "{n0}, {n1} and {n2} made {v0}, {v1} and {v2} trips {c}.",
            "{C}, {n0} made {diff} more trips than {n1}.",
            "{n0} made {share} of the trips {c}.",
            "{n0} made the most trips {c}, with {v0}.",
            "{C}, the average was {mean} trips per vehicle.",
        ),
        "de": (
            "{n0} machte {c} {v0} Fahrten, {n1} {v1} und {n2} {v2}.",
            "Insgesamt gab es {c} {sum} Fahrten.",
            "{C} machte {n0} {diff} Fahrten mehr als {n1}.",
            "{n0} machte {c} {share} der Fahrten.",
            "{n0} machte {c} die meisten Fahrten, nämlich {v0}.",
        ),
        "fr": (
            "{n0} a fait {v0} trajets {c}, {n1} {v1} et {n2} {v2}.",
            "Au total, il y a eu {sum} trajets {c}.",
            "{n0} a fait {diff} trajets de plus que {n1} {c}.",
            "{n0} a fait le plus de trajets {c}, avec {v0}.",
        ),
        "es": (
            "{n0} hizo {v0} viajes {c}, {n1} {v1} y {n2} {v2}.",
            "En total hubo {sum} viajes {c}.",
            "{n0} hizo {diff} viajes más que {n1} {c}.",
            "{n0} hizo el mayor número de viajes {c}, con {v0}.",
        ),
        "it": (
            "{n0} ha fatto {v0} viaggi {c}, {n1} {v1} e {n2} {v2}.",
            "In totale ci sono stati {sum} viaggi {c}.",
            "{n0} ha fatto {diff} viaggi in più di {n1} {c}.",
            "{n0} ha fatto il maggior numero di viaggi {c}, con {v0}.",
        ),
    },
    "countries": {
        "en": (
            "There are {v0} customers in {n0}, {v1} in {n1} and {v2} in {n2}.",
            "{n0} has the most customers ({v0}).",
            "{n0}: {v0}, {n1}: {v1}, {n2}: {v2}.",
            "{n0} has the most customers with {v0}, followed by {n1} with {v1}.",
            "There are {sum} customers in total.",
        ),
        "de": (
            "In {n0} gibt es {v0} Kunden, in {n1} {v1} und in {n2} {v2}.",
            "{n0} hat die meisten Kunden ({v0}).",
            "{n0}: {v0}, {n1}: {v1}, {n2}: {v2}.",
            "Insgesamt gibt es {sum} Kunden.",
        ),
        "fr": (
            "Il y a {v0} clients en {n0}, {v1} en {n1} et {v2} en {n2}.",
            "Il y a {sum} clients au total.",
            "{n0} : {v0}, {n1} : {v1}, {n2} : {v2}.",
        ),
        "es": (
            "Hay {v0} clientes en {n0}, {v1} en {n1} y {v2} en {n2}.",
            "En total hay {sum} clientes.",
            "{n0}: {v0}, {n1}: {v1}, {n2}: {v2}.",
        ),
        "it": (
            "Ci sono {v0} clienti in {n0}, {v1} in {n1} e {v2} in {n2}.",
            "In totale ci sono {sum} clienti.",
            "{n0}: {v0}, {n1}: {v1}, {n2}: {v2}.",
        ),
    },
    "series": {
        "en": (
            "Revenue was {v0} in {n0}, {v1} in {n1} and {v2} in {n2}.",
            "The highest revenue was {v0} in {n0}.",
            "Revenue in 2024 was {sum} in total.",
        ),
        "de": (
            "Der Umsatz lag im {n0} bei {v0}, im {n1} bei {v1} und im {n2} bei {v2}.",
            "Der höchste Umsatz war {v0} im {n0}.",
        ),
        "fr": ("Les recettes étaient de {v0} en {n0}, de {v1} en {n1} et de {v2} en {n2}.",),
        "es": ("Los ingresos fueron de {v0} en {n0}, {v1} en {n1} y {v2} en {n2}.",),
        "it": ("I ricavi sono stati di {v0} a {n0}, {v1} a {n1} e {v2} a {n2}.",),
    },
    "nothing": {
        "en": ("No vehicle had an accident {c}.", "There were no vehicles with an accident {c}.", "None."),
        "de": ("{C} hatte kein Fahrzeug einen Unfall.", "Es gab {c} keine Fahrzeuge mit einem Unfall."),
        "fr": ("Aucun véhicule n'a eu d'accident {c}.",),
        "es": ("Ningún vehículo tuvo un accidente {c}.",),
        "it": ("Nessun veicolo ha avuto un incidente {c}.",),
    },
    "null": {
        "en": ("The mileage of {n0} is unknown.", "There is no value for the mileage of {n0}."),
        "de": ("Der Kilometerstand von {n0} ist unbekannt.",),
        "fr": ("Le kilométrage de {n0} est inconnu.",),
        "es": ("El kilometraje de {n0} es desconocido.",),
        "it": ("Il chilometraggio di {n0} è sconosciuto.",),
    },
    "many": {
        "en": ("The distance of {n0} is {v0} km, that of {n1} {v1} km.", "The list begins with {n0} at {v0} km."),
        "de": ("Die Strecke von {n0} beträgt {v0} km, die von {n1} {v1} km.",),
        "fr": ("La distance de {n0} est de {v0} km, celle de {n1} de {v1} km.",),
        "es": ("La distancia de {n0} es de {v0} km y la de {n1} de {v1} km.",),
        "it": ("La distanza di {n0} è di {v0} km e quella di {n1} di {v1} km.",),
    },
    "percent": {
        "en": (
            "{v} of the trips were late {c}.",
            "{C}, {v} of trips were late.",
            "The share of late trips {c} was {v}.",
        ),
        "de": ("{C} waren {v} der Fahrten verspätet.", "Der Anteil verspäteter Fahrten {c} betrug {v}."),
        "fr": ("{C}, {v} des trajets étaient en retard.",),
        "es": ("{C}, el {v} de los viajes llegó tarde.",),
        "it": ("{C} il {v} dei viaggi era in ritardo.",),
    },
    "list": {
        "en": (
            "{n0}, {n1} and {n2} are in the workshop.",
            "There are {count} vehicles in the workshop: {n0}, {n1} and {n2}.",
            "These are {n0}, {n1} and {n2}.",
        ),
        "de": (
            "{n0}, {n1} und {n2} sind in der Werkstatt.",
            "Es sind {count} Fahrzeuge in der Werkstatt: {n0}, {n1} und {n2}.",
        ),
        "fr": ("{n0}, {n1} et {n2} sont à l'atelier.",),
        "es": ("{n0}, {n1} y {n2} están en el taller.",),
        "it": ("{n0}, {n1} e {n2} sono in officina.",),
    },
}

HELD_OUT: Sentences = {
    "count": {
        "en": ("A total of {v} trips took place {c}.", "We counted {v} trips {c}."),
        "de": ("{C} wurden {v} Fahrten gezählt.", "Insgesamt waren es {c} {v} Fahrten."),
        "fr": ("On compte {v} trajets {c}.",),
        "es": ("Se registraron {v} viajes {c}.",),
        "it": ("Si contano {v} viaggi {c}.",),
    },
    "money": {
        "en": ("We made {v} in total revenue {c}.", "Revenue {c} amounted to {v}."),
        "de": ("Wir haben {c} einen Gesamtumsatz von {v} erzielt.", "Der Umsatz {c} beläuft sich auf {v}."),
        "fr": ("Les recettes {c} ont atteint {v}.",),
        "es": ("{C} se obtuvieron ingresos de {v}.",),
        "it": ("{C} abbiamo ottenuto ricavi pari a {v}.",),
    },
    "top": {
        "en": ("With {v0} trips, {n0} was the vehicle with the most trips {c}.", "{C}, {n0} led with {v0} trips."),
        "de": ("Mit {v0} Fahrten hatte {n0} {c} die meisten Fahrten.", "Am meisten Fahrten hatte {c} {n0}: {v0}."),
        "fr": ("Avec {v0} trajets, {n0} est le véhicule qui a fait le plus de trajets {c}.",),
        "es": ("Con {v0} viajes, {n0} es el vehículo con más viajes {c}.",),
        "it": ("Con {v0} viaggi, {n0} è il veicolo con più viaggi {c}.",),
    },
    "groups": {
        "en": (
            "{C}, {n0} had {v0} trips, while {n1} had {v1} and {n2} had {v2}.",
            "Together, the vehicles made {sum} trips {c}.",
            "The difference between {n0} and {n1} {c} is {diff} trips.",
        ),
        "de": (
            "{C} hatte {n0} {v0} Fahrten, {n1} hatte {v1} und {n2} {v2}.",
            "Zusammen machten die Fahrzeuge {c} {sum} Fahrten.",
        ),
        "fr": (
            "{C}, {n0} compte {v0} trajets, {n1} en compte {v1} et {n2} {v2}.",
            "Ensemble, les véhicules ont fait {sum} trajets {c}.",
        ),
        "es": ("{C}, {n0} hizo {v0} viajes, {n1} hizo {v1} y {n2} hizo {v2}.",),
        "it": ("{C}, {n0} ha fatto {v0} viaggi, {n1} ne ha fatti {v1} e {n2} {v2}.",),
    },
    "countries": {
        "en": (
            "{v0} customers come from {n0}, {v1} from {n1} and {v2} from {n2}.",
            "{n0} leads with {v0} customers; {n1} has {v1}.",
            "Most customers are in {n0} ({v0}).",
        ),
        "de": (
            "{v0} Kunden kommen aus {n0}, {v1} aus {n1} und {v2} aus {n2}.",
            "Die meisten Kunden hat {n0} mit {v0}.",
        ),
        "fr": ("{n0} compte {v0} clients, {n1} {v1} et {n2} {v2}.",),
        "es": ("{n0} tiene {v0} clientes, {n1} {v1} y {n2} {v2}.",),
        "it": ("{n0} ha {v0} clienti, {n1} {v1} e {n2} {v2}.",),
    },
    "series": {
        "en": ("In {n0} revenue was {v0}; in {n1} it was {v1}.", "{n0} brought {v0}, {n1} {v1}."),
        "de": ("Im {n0} betrug der Umsatz {v0}, im {n1} {v1}.",),
        "fr": ("En {n0}, les recettes étaient de {v0} ; en {n1}, de {v1}.",),
        "es": ("En {n0} los ingresos fueron de {v0}; en {n1}, de {v1}.",),
        "it": ("A {n0} i ricavi sono stati di {v0}, a {n1} di {v1}.",),
    },
    "nothing": {
        "en": ("{C}, none of the vehicles had an accident.", "No accidents were found {c}."),
        "de": ("Kein Fahrzeug hatte {c} einen Unfall.",),
        "fr": ("{C}, aucun véhicule n'a eu d'accident.",),
        "es": ("{C} ningún vehículo tuvo un accidente.",),
        "it": ("{C} nessun veicolo ha avuto un incidente.",),
    },
    "null": {
        "en": ("{n0} has no mileage recorded.",),
        "de": ("Für {n0} ist kein Kilometerstand erfasst.",),
        "fr": ("Aucun kilométrage n'est enregistré pour {n0}.",),
        "es": ("No hay kilometraje registrado para {n0}.",),
        "it": ("Non è registrato alcun chilometraggio per {n0}.",),
    },
    "many": {
        "en": ("{n0} covers a distance of {v0} km and {n1} one of {v1} km.",),
        "de": ("{n0} kommt auf eine Strecke von {v0} km, {n1} auf {v1} km.",),
        "fr": ("{n0} a une distance de {v0} km et {n1} de {v1} km.",),
        "es": ("{n0} tiene una distancia de {v0} km y {n1} de {v1} km.",),
        "it": ("{n0} ha una distanza di {v0} km e {n1} di {v1} km.",),
    },
    "percent": {
        "en": ("{C} {v} of all trips arrived late.", "The late share was {v} {c}."),
        "de": ("{v} der Fahrten waren {c} verspätet.",),
        "fr": ("La part des trajets en retard {c} était de {v}.",),
        "es": ("El porcentaje de viajes que llegó tarde {c} fue del {v}.",),
        "it": ("La quota dei viaggi in ritardo a marzo 2024 era del {v}.",),
    },
    "list": {
        "en": (
            "The vehicles in the workshop are {n0}, {n1} and {n2}.",
            "The workshop has {count} vehicles: {n0}, {n1}, {n2}.",
        ),
        "de": ("In der Werkstatt sind die Fahrzeuge {n0}, {n1} und {n2}.",),
        "fr": ("Les véhicules à l'atelier sont {n0}, {n1} et {n2}.",),
        "es": ("Los vehículos en el taller son {n0}, {n1} y {n2}.",),
        "it": ("I veicoli in officina sono {n0}, {n1} e {n2}.",),
    },
}

# Replacements in false sentences, by language.
DENIALS = {
    "en": "There are no {thing}{of}.",
    "de": "Es gibt keine {thing}{of}.",
    "fr": "Il n'y a aucun {thing}{of}.",
    "es": "No hay ningún {thing}{of}.",
    "it": "Non ci sono {thing}{of}.",
}
QUANTIFIERS = {
    "en": ("All {thing} are concerned.", "Every one of the {thing} is included."),
    "de": ("Alle {thing} sind enthalten.", "Das gilt für alle {thing}."),
    "fr": ("Tous les {thing} sont compris.", "C'est le cas de tous les {thing}."),
    "es": ("Todos los {thing} están incluidos.", "Son todos los {thing}."),
    "it": ("Tutti i {thing} sono inclusi.", "Sono tutti i {thing}."),
}
EXTRAS = {
    "en": (
        ", twice as many as the year before",
        ", which is a new record",
        ", mainly because of the holidays",
        ", for the first time since 2019",
        ", up 12 % from last year",
        ", and the trend continues",
    ),
    "de": (
        ", doppelt so viele wie im Vorjahr",
        ", ein neuer Rekord",
        ", vor allem wegen der Ferien",
        ", zum ersten Mal seit 2019",
        ", 12 % mehr als im Vorjahr",
        ", Tendenz steigend",
    ),
    "fr": (
        ", le double de l'année précédente",
        ", un nouveau record",
        ", surtout à cause des vacances",
        ", pour la première fois depuis 2019",
        ", soit 12 % de plus que l'an dernier",
    ),
    "es": (
        ", el doble que el año anterior",
        ", un nuevo récord",
        ", sobre todo por las vacaciones",
        ", por primera vez desde 2019",
        ", un 12 % más que el año pasado",
    ),
    "it": (
        ", il doppio dell'anno precedente",
        ", un nuovo record",
        ", soprattutto per le vacanze",
        ", per la prima volta dal 2019",
        ", il 12 % in più rispetto all'anno scorso",
    ),
}
# The end of a scale turned round.
OPPOSITES = {
    "en": (
        ("the most", "the fewest"),
        ("highest", "lowest"),
        ("Most", "Fewest"),
        ("led with", "was last with"),
        ("leads", "trails"),
        ("more", "fewer"),
    ),
    "de": (
        ("die meisten", "die wenigsten"),
        ("Die meisten", "Die wenigsten"),
        ("höchste", "niedrigste"),
        ("Am meisten", "Am wenigsten"),
        ("mehr", "weniger"),
    ),
    "fr": (("le plus", "le moins"), ("de plus", "de moins")),
    "es": (("el mayor", "el menor"), ("más", "menos")),
    "it": (("il maggior", "il minor"), ("più", "meno")),
}
THINGS = {
    "count": {"en": "trips", "de": "Fahrten", "fr": "trajets", "es": "viajes", "it": "viaggi"},
    "countries": {"en": "customers", "de": "Kunden", "fr": "clients", "es": "clientes", "it": "clienti"},
    "money": {"en": "revenue", "de": "Umsatz", "fr": "recettes", "es": "ingresos", "it": "ricavi"},
    "list": {"en": "vehicles", "de": "Fahrzeuge", "fr": "véhicules", "es": "vehículos", "it": "veicoli"},
}
MILLIONS = {"en": "million", "de": "Millionen", "fr": "millions", "es": "millones", "it": "milioni"}
THOUSANDS = {"en": "thousand", "de": "Tausend", "fr": "mille", "es": "mil", "it": "mila"}
OTHER_UNITS = {
    "€": {
        "en": "${digits}",
        "de": "{digits} Dollar",
        "fr": "{digits} dollars",
        "es": "{digits} dólares",
        "it": "{digits} dollari",
    },
    "km": {"en": "miles", "de": "Meilen", "fr": "miles", "es": "millas", "it": "miglia"},
    "": {"en": "kilometres", "de": "Kilometer", "fr": "kilomètres", "es": "kilómetros", "it": "chilometri"},
}
MONTHS = {
    "en": ("January", "February", "March", "April", "May", "June", "July"),
    "de": ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli"),
    "fr": ("janvier", "février", "mars", "avril", "mai", "juin", "juillet"),
    "es": ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio"),
    "it": ("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio"),
}
COUNTRIES = {
    "DE": {"en": "Germany", "de": "Deutschland", "fr": "Allemagne", "es": "Alemania", "it": "Germania"},
    "FR": {"en": "France", "de": "Frankreich", "fr": "France", "es": "Francia", "it": "Francia"},
    "AT": {"en": "Austria", "de": "Österreich", "fr": "Autriche", "es": "Austria", "it": "Austria"},
    "IT": {"en": "Italy", "de": "Italien", "fr": "Italie", "es": "Italia", "it": "Italia"},
    "ES": {"en": "Spain", "de": "Spanien", "fr": "Espagne", "es": "España", "it": "Spagna"},
    "NL": {
        "en": "the Netherlands",
        "de": "den Niederlanden",
        "fr": "Pays-Bas",
        "es": "Países Bajos",
        "it": "Paesi Bassi",
    },
    "PL": {"en": "Poland", "de": "Polen", "fr": "Pologne", "es": "Polonia", "it": "Polonia"},
}
