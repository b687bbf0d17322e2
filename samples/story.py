"""Two years of the sample shop, drawn from one seed.

The story: the shop grows by about half a year on year; November and December are its best months, February and the
summer are quiet; in August 2024 the warehouse moved and little was sold; Spain was added in March 2024; coffee became
dearer on 1 January 2025; one product, the House Blend by the kilo, outsells all others.

Money is counted in cents and written with two decimals, so that no sum depends on how floats are printed.
"""

from __future__ import annotations

import random
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import accumulate
from typing import NamedTuple, TypeVar

from samples.catalogue import CATEGORIES, COUNTRIES, PRODUCTS, Country, Product

SEED = 20230701
FIRST_DAY = date(2023, 7, 1)
LAST_DAY = date(2025, 6, 30)
PRICE_RISE = date(2025, 1, 1)

T = TypeVar("T")
Value = str | int | None
Rows = list[tuple[Value, ...]]

# January to December; the season's share of a usual month.
_SEASON = (0.95, 0.80, 0.92, 0.95, 0.95, 0.88, 0.82, 0.85, 0.98, 1.08, 1.38, 1.60)
_WEEKDAY = (1.10, 1.02, 0.98, 0.98, 1.00, 0.88, 1.06)
_WEAK_MONTH, _WEAKNESS = (2024, 8), 0.45
_ORDERS_A_DAY = 13.6  # in the first days; the growth comes on top
_GROWTH_A_YEAR = 0.42

_GUEST_SHARE, _NEW_SHARE, _IDLE_SHARE, _CANCELLED_SHARE = 0.17, 0.26, 0.09, 0.062
_CHANNELS, _CHANNEL_WEIGHTS = ("W", "M", "T"), (70, 22, 8)
_METHODS, _METHOD_WEIGHTS = ("card", "paypal", "bank_transfer"), (52, 33, 15)
_REASONS, _REASON_WEIGHTS = (1, 2, 3, 4), (24, 14, 45, 17)
_LINE_COUNTS, _LINE_WEIGHTS = (1, 2, 3, 4, 5), (34, 31, 20, 10, 5)
_QUANTITIES, _QUANTITY_WEIGHTS = (1, 2, 3, 4), (68, 21, 7, 4)


class Line(NamedTuple):
    """One line of an order; `cents` is the price of one unit on the day of the order."""

    product_id: int
    quantity: int
    cents: int


class Dice:
    """Chance from `random()` alone: that sequence is the same in every Python version, others are not promised."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, share: float) -> bool:
        """True in `share` of all cases."""
        return self._random() < share

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def real(self) -> float:
        """A number from 0 up to, not including, 1."""
        return self._random()

    def one_of(self, items: Sequence[T], weights: Sequence[float] | None = None) -> T:
        """One of the items, by weight where weights are given."""
        if weights is None:
            return items[self.between(0, len(items) - 1)]
        edges = list(accumulate(weights))
        return items[bisect(edges, self._random() * edges[-1])]


def euros(cents: int) -> str:
    """Cents as euros: 1290 is "12.90"."""
    return f"{cents // 100}.{cents % 100:02d}"


def price_on(product: Product, day: date) -> int:
    """The list price of one unit on a day, in cents."""
    rise = product.category == "Coffee" and day >= PRICE_RISE
    return round(product.cents * 1.08 / 10) * 10 if rise else product.cents


class Story:
    """Fills the tables day by day; `tables` holds their rows, in the order of the columns in `make_shop.TABLES`."""

    def __init__(self, seed: int = SEED) -> None:
        self._dice = Dice(seed)
        self.tables: dict[str, Rows] = {
            "categories": [(number, name) for number, name in enumerate(CATEGORIES, 1)],
            "products": [
                (number, p.name, CATEGORIES.index(p.category) + 1, euros(price_on(p, LAST_DAY)), p.launched_on)
                for number, p in enumerate(PRODUCTS, 1)
            ],
            "customers": [],
            "orders": [],
            "order_items": [],
            "payments": [],
            "returns": [],
        }
        # The shop opened in May; its orders are kept from July on, so the first buyers are known already.
        self._buyers = [self._sign_up(date(2023, 5, 2) + timedelta(days=number // 6)) for number in range(360)]

    def tell(self) -> Iterator[date]:
        """Fill the tables, yielding each day when it is over."""
        day = FIRST_DAY
        while day <= LAST_DAY:
            for moment in self._moments(day):
                self._order(moment)
            yield day
            day += timedelta(days=1)

    def _moments(self, day: date) -> list[datetime]:
        years = (day - FIRST_DAY).days / 365
        rate = _ORDERS_A_DAY * (1 + _GROWTH_A_YEAR) ** years * _SEASON[day.month - 1] * _WEEKDAY[day.weekday()]
        if (day.year, day.month) == _WEAK_MONTH:
            rate *= _WEAKNESS
        count = int(rate * (0.8 + 0.4 * self._dice.real()) + self._dice.real())
        midnight = datetime(day.year, day.month, day.day)  # no zone: all times are UTC
        # Two draws lean the day towards the evening, as shops online know it.
        seconds = [max(self._dice.between(0, 86_399), self._dice.between(0, 86_399)) for _ in range(count)]
        return [midnight + timedelta(seconds=second) for second in sorted(seconds)]

    def _order(self, moment: datetime) -> None:
        day = moment.date()
        customer = self._customer(day)
        lines = self._basket(day)
        amount = sum(line.quantity * line.cents for line in lines)
        tax, shipping = round(amount * 0.2), 0 if amount >= 6000 else 490
        status = self._status(day)
        channel = self._dice.one_of(_CHANNELS, _CHANNEL_WEIGHTS)
        number = len(self.tables["orders"]) + 1
        money = (euros(amount), euros(tax), euros(shipping))
        self.tables["orders"].append((number, customer, str(moment), status, channel, *money))
        self.tables["order_items"].extend(
            (number, position, line.product_id, line.quantity, euros(line.cents))
            for position, line in enumerate(lines, 1)
        )
        if status != "X":
            self._pay(number, moment, amount + tax + shipping)
        if status == "C":
            self._send_back(number, day, lines)

    def _customer(self, day: date) -> int | None:
        """The buyer's number, or None for a guest."""
        if self._dice.chance(_GUEST_SHARE):
            return None
        if self._dice.chance(_NEW_SHARE):
            if self._dice.chance(_IDLE_SHARE):
                self._sign_up(day)  # somebody who never buys
            self._buyers.append(self._sign_up(day))
            return self._buyers[-1]
        # Those who came lately come again more often than those who came long ago.
        return self._buyers[int(len(self._buyers) * (1 - self._dice.real() ** 1.7))]

    def _sign_up(self, day: date) -> int:
        open_ones = [country for country in COUNTRIES if country.since <= str(day)]
        country: Country = self._dice.one_of(open_ones, [country.weight for country in open_ones])
        first, last = self._dice.one_of(country.first_names), self._dice.one_of(country.last_names)
        number = len(self.tables["customers"]) + 1
        plain = unicodedata.normalize("NFKD", f"{first}.{last}").encode("ascii", "ignore").decode().replace(" ", "")
        email = f"{plain.lower()}{number}@example.com"
        city = self._dice.one_of(country.cities)
        self.tables["customers"].append((number, first, last, email, country.code, city, str(day)))
        return number

    def _basket(self, day: date) -> list[Line]:
        offered = [(n, p) for n, p in enumerate(PRODUCTS, 1) if p.launched_on <= str(day) and _in_season(p, day)]
        weights = [product.popularity for _, product in offered]
        chosen: dict[int, Product] = {}
        for _ in range(self._dice.one_of(_LINE_COUNTS, _LINE_WEIGHTS)):
            number, product = self._dice.one_of(offered, weights)
            chosen[number] = product  # drawn twice, it is one line all the same
        lines = []
        for number, product in chosen.items():
            quantity = 1 if product.cents > 7000 else self._dice.one_of(_QUANTITIES, _QUANTITY_WEIGHTS)
            lines.append(Line(number, quantity, price_on(product, day)))
        return lines

    def _status(self, day: date) -> str:
        if self._dice.chance(_CANCELLED_SHARE):
            return "X"
        age = (LAST_DAY - day).days
        if age > 12:
            return "C"
        return self._dice.one_of("OSC", (6 - age / 2, 6, age))

    def _pay(self, order: int, moment: datetime, total: int) -> None:
        voucher = 2500 if total > 4000 and self._dice.chance(0.07) else 0
        method = self._dice.one_of(_METHODS, _METHOD_WEIGHTS)
        delay = self._dice.between(90_000, 400_000) if method == "bank_transfer" else self._dice.between(20, 900)
        parts = [("gift_card", voucher, moment)] if voucher else []
        parts.append((method, total - voucher, moment + timedelta(seconds=delay)))
        for name, cents, paid_at in parts:
            if paid_at.date() <= LAST_DAY:  # a transfer of the last days has not arrived yet
                number = len(self.tables["payments"]) + 1
                self.tables["payments"].append((number, order, str(paid_at), name, euros(cents)))

    def _send_back(self, order: int, day: date, lines: list[Line]) -> None:
        for position, line in enumerate(lines, 1):
            returned_on = day + timedelta(days=self._dice.between(4, 30))
            if self._dice.chance(0.048) and returned_on <= LAST_DAY:
                quantity = self._dice.between(1, line.quantity)
                reason = self._dice.one_of(_REASONS, _REASON_WEIGHTS)
                number = len(self.tables["returns"]) + 1
                refund = euros(quantity * line.cents)
                self.tables["returns"].append((number, order, position, str(returned_on), quantity, reason, refund))


def _in_season(product: Product, day: date) -> bool:
    if product.name == "Advent Calendar":
        return day.month in (10, 11)
    if product.name == "Winter Roast 250 g":
        return day.month in (10, 11, 12, 1, 2)
    return True
