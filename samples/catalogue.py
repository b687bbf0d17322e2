"""What the sample shop sells, where its customers live and what they are called."""

from __future__ import annotations

from typing import NamedTuple

CATEGORIES = ("Coffee", "Tea", "Brewing", "Grinders", "Espresso Machines", "Cups and Glasses", "Care", "Gifts")


class Product(NamedTuple):
    """A product at its first list price, in cents; `popularity` is its weight when a basket is filled."""

    name: str
    category: str
    cents: int
    popularity: float
    launched_on: str = "2023-05-02"


PRODUCTS = (
    Product("House Blend 1 kg", "Coffee", 2190, 30),
    Product("House Blend 250 g", "Coffee", 690, 11),
    Product("Morning Roast 1 kg", "Coffee", 2490, 10),
    Product("Ethiopia Yirgacheffe 250 g", "Coffee", 1090, 9),
    Product("Colombia Huila 250 g", "Coffee", 990, 8),
    Product("Guatemala Antigua 250 g", "Coffee", 1050, 6),
    Product("Brazil Santos 1 kg", "Coffee", 2350, 7),
    Product("Swiss Water Decaf 250 g", "Coffee", 1150, 5),
    Product("Espresso Notte 1 kg", "Coffee", 2590, 9),
    Product("Winter Roast 250 g", "Coffee", 1190, 4, "2024-10-01"),
    Product("Earl Grey 100 g", "Tea", 790, 6),
    Product("Assam Second Flush 100 g", "Tea", 890, 4),
    Product("Sencha 100 g", "Tea", 1190, 5),
    Product("Jasmine Pearls 50 g", "Tea", 1290, 3),
    Product("Rooibos Vanilla 100 g", "Tea", 650, 4),
    Product("Mint Leaves 50 g", "Tea", 490, 3),
    Product("Matcha Uji 30 g", "Tea", 2490, 3, "2024-02-01"),
    Product("Pour-Over Dripper", "Brewing", 2290, 6),
    Product("Gooseneck Kettle", "Brewing", 5990, 4),
    Product("Electric Kettle 1 l", "Brewing", 7990, 3),
    Product("French Press 0.9 l", "Brewing", 3490, 5),
    Product("Moka Pot 6 Cups", "Brewing", 3290, 4),
    Product("Cold Brew Bottle", "Brewing", 2790, 3, "2024-04-15"),
    Product("Paper Filters 100 pcs", "Brewing", 590, 14),
    Product("Steel Filter", "Brewing", 1990, 2),
    Product("Glass Server 0.6 l", "Brewing", 2490, 3),
    Product("Teapot 1.2 l", "Brewing", 3990, 2),
    Product("Hand Grinder Piccolo", "Grinders", 7900, 4),
    Product("Hand Grinder Pro", "Grinders", 14900, 2),
    Product("Electric Grinder 40", "Grinders", 18900, 2),
    Product("Electric Grinder 64", "Grinders", 39900, 1),
    Product("Burr Set 40 mm", "Grinders", 3900, 1),
    Product("Espresso Machine Uno", "Espresso Machines", 44900, 1.1),
    Product("Espresso Machine Duo", "Espresso Machines", 89900, 0.6),
    Product("Espresso Machine Compact", "Espresso Machines", 29900, 1.2, "2024-09-02"),
    Product("Milk Frother", "Espresso Machines", 4990, 3),
    Product("Tamper 58 mm", "Espresso Machines", 2990, 2),
    Product("Milk Jug 0.5 l", "Espresso Machines", 2190, 3),
    Product("Portafilter", "Espresso Machines", 4490, 1),
    Product("Espresso Cup", "Cups and Glasses", 990, 6),
    Product("Cappuccino Cup", "Cups and Glasses", 1290, 6),
    Product("Latte Glass", "Cups and Glasses", 890, 4),
    Product("Tea Glass", "Cups and Glasses", 790, 3),
    Product("Travel Mug 0.35 l", "Cups and Glasses", 2490, 5),
    Product("Stoneware Mug", "Cups and Glasses", 1590, 5),
    Product("Descaler 250 ml", "Care", 890, 6),
    Product("Cleaning Tablets", "Care", 1190, 4),
    Product("Cleaning Brush", "Care", 690, 3),
    Product("Water Filter Cartridge", "Care", 1490, 5),
    Product("Barista Cloth Set", "Care", 1290, 2),
    Product("Gift Box Coffee", "Gifts", 3490, 3),
    Product("Gift Box Tea", "Gifts", 2990, 2),
    Product("Tasting Set 6 x 60 g", "Gifts", 2790, 4),
    Product("Barista Course Voucher", "Gifts", 9900, 0.8),
    Product("Advent Calendar", "Gifts", 4990, 0.5, "2023-10-01"),
)


class Country(NamedTuple):
    """A country that the shop delivers to, since when, and how many of its customers live there."""

    code: str
    weight: float
    since: str
    cities: tuple[str, ...]
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]


COUNTRIES = (
    Country(
        "DE",
        42,
        "2023-05-02",
        ("Berlin", "Hamburg", "Munich", "Cologne", "Leipzig", "Stuttgart"),
        ("Anna", "Lena", "Jürgen", "Sabine", "Jonas", "Felix", "Katrin", "Markus", "Marie", "Stefan", "Heike", "Paul"),
        ("Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Becker", "Hoffmann", "Koch", "Richter", "Vogel"),
    ),
    Country(
        "AT",
        14,
        "2023-05-02",
        ("Vienna", "Graz", "Linz", "Salzburg"),
        ("Johanna", "Lukas", "Elisabeth", "Tobias", "Magdalena", "Florian", "Theresa", "Georg"),
        ("Gruber", "Huber", "Wagner", "Pichler", "Steiner", "Moser", "Mayer", "Hofer"),
    ),
    Country(
        "FR",
        15,
        "2023-05-02",
        ("Paris", "Lyon", "Strasbourg", "Nantes"),
        ("Camille", "Hugo", "Chloé", "Julien", "Élodie", "Antoine", "Manon", "Nicolas"),
        ("Martin", "Bernard", "Dubois", "Petit", "Durand", "Leroy", "Moreau", "Lefèvre"),
    ),
    Country(
        "NL",
        13,
        "2023-05-02",
        ("Amsterdam", "Rotterdam", "Utrecht", "Groningen"),
        ("Sanne", "Daan", "Lotte", "Bram", "Femke", "Sven", "Anouk", "Thijs"),
        ("de Jong", "Jansen", "Bakker", "Visser", "Smit", "Mulder", "Bos", "Dekker"),
    ),
    Country(
        "IT",
        9,
        "2023-05-02",
        ("Milan", "Turin", "Bologna", "Verona"),
        ("Giulia", "Marco", "Chiara", "Luca", "Francesca", "Matteo", "Elena", "Davide"),
        ("Rossi", "Ferrari", "Bianchi", "Romano", "Colombo", "Ricci", "Marino", "Conti"),
    ),
    Country(
        "ES",
        12,
        "2024-03-01",
        ("Madrid", "Barcelona", "Valencia", "Seville"),
        ("Lucía", "Javier", "Carmen", "Pablo", "Elena", "Sergio", "Marta", "Álvaro"),
        ("García", "Fernández", "López", "Martínez", "Sánchez", "Ruiz", "Moreno", "Torres"),
    ),
)
