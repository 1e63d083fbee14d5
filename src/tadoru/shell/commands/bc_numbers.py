"""Numbers of `bc`: integers with a count of digits after the point, as POSIX defines them.

Every operation truncates; nothing is rounded. The functions of `bc -l` are computed a few digits
further than is shown.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from decimal import Decimal

MAX_DIGITS = 20_000
"""Of a number; what would be longer is an error."""
MAX_LIBRARY_SCALE = 2_000
"""Of the functions of `-l`, whose series take the square of it."""
LINE = 68
"""Digits of a line before a backslash: GNU breaks lines at 70 characters."""
_GUARD = 12


class BcError(Exception):
    """A run-time error, in GNU's words."""


@dataclass(frozen=True, slots=True)
class Number:
    """`digits` / 10 ** `scale`."""

    digits: int
    scale: int = 0

    def at(self, scale: int) -> int:
        """Return the digits with another count after the point, truncated."""
        if scale >= self.scale:
            return self.digits * _power_of_ten(scale - self.scale)
        return _quotient(self.digits, _power_of_ten(self.scale - scale))

    def whole(self) -> int:
        return self.at(0)

    def decimal(self) -> Decimal:
        return Decimal(self.digits).scaleb(-self.scale, _wide())


ZERO, ONE = Number(0), Number(1)


def _wide() -> decimal.Context:
    return decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


def _power_of_ten(count: int) -> int:
    result: int = 10**count
    return result


def _quotient(one: int, other: int) -> int:
    """Divide towards zero."""
    result = abs(one) // abs(other)
    return result if (one < 0) == (other < 0) else -result


def length(number: Number) -> int:
    """Return how many digits a number has."""
    return max(len(str(Decimal(abs(number.digits)))), number.scale)


def checked(number: Number) -> Number:
    if number.digits.bit_length() > MAX_DIGITS * 3.33 or number.scale > MAX_DIGITS:
        raise BcError(f"a number of more than {MAX_DIGITS} digits")
    return number


def parse(text: str, base: int) -> Number:
    """Return the number that is written in some base (2 to 16)."""
    whole, _, part = text.partition(".")
    if base == 10 and not set(text) - set("0123456789."):
        return checked(Number(int(Decimal(whole + part or "0")), len(part)))
    if len(whole) == 1 and not part:
        return Number(int(whole, 16))
    value = 0
    for letter in whole + part:
        value = value * base + min(int(letter, 16), base - 1)
    return checked(Number(_quotient(value * 10 ** len(part), base ** len(part)), len(part)))


def show(number: Number, base: int) -> str:
    """Return a number as it is printed, long ones on several lines."""
    text = _decimal(number) if base == 10 else _based(number, base)
    if len(text) <= LINE + 1:
        return text
    pieces = [text[i : i + LINE] for i in range(0, len(text), LINE)]
    return "\\\n".join(pieces)


def _decimal(number: Number) -> str:
    if not number.digits:
        return "0"
    text = str(Decimal(abs(number.digits))).rjust(number.scale + 1, "0")
    whole, part = text[: len(text) - number.scale], text[len(text) - number.scale :]
    sign = "-" if number.digits < 0 else ""
    return f"{sign}{whole.lstrip('0')}{'.' + part if part else ''}"


def _based(number: Number, base: int) -> str:
    unit = 10**number.scale
    whole, rest = divmod(abs(number.digits), unit)
    digits = []
    while whole:
        whole, digit = divmod(whole, base)
        digits.append(digit)
    shown = "".join(_digit(d, base) for d in reversed(digits)) or ("" if number.scale else "0")
    if number.scale:
        places, power = [], 1
        while power < unit:
            rest, power = rest * base, power * base
            places.append(_digit(rest // unit, base))
            rest %= unit
        shown += "." + "".join(places)
    return ("-" if number.digits < 0 else "") + shown


def _digit(digit: int, base: int) -> str:
    if base <= 16:
        return "0123456789ABCDEF"[digit]
    return f" {digit:0{len(str(base - 1))}d}"


# -- operations ------------------------------------------------------------------------------------


def add(one: Number, other: Number) -> Number:
    scale = max(one.scale, other.scale)
    return checked(Number(one.at(scale) + other.at(scale), scale))


def negate(one: Number) -> Number:
    return Number(-one.digits, one.scale)


def multiply(one: Number, other: Number, scale: int) -> Number:
    full = one.scale + other.scale
    kept = min(full, max(scale, one.scale, other.scale))
    product = Number(one.digits * other.digits, full)
    return checked(Number(product.at(kept), kept))


def divide(one: Number, other: Number, scale: int) -> Number:
    if not other.digits:
        raise BcError("Divide by zero")
    shift = scale + other.scale - one.scale
    top = one.digits * 10 ** max(0, shift)
    bottom = other.digits * 10 ** max(0, -shift)
    return checked(Number(_quotient(top, bottom), scale))


def remainder(one: Number, other: Number, scale: int) -> Number:
    kept = max(one.scale, scale + other.scale)
    quotient = divide(one, other, scale)
    product = Number(quotient.digits * other.digits, quotient.scale + other.scale)
    return Number(add(one, negate(product)).at(kept), kept)


def power(one: Number, exponent: Number, scale: int) -> Number:
    count = exponent.whole()
    if abs(count) * max(1, one.digits.bit_length()) > MAX_DIGITS * 4:
        raise BcError(f"a number of more than {MAX_DIGITS} digits")
    if not count:
        return ONE
    full = Number(one.digits ** abs(count), one.scale * abs(count))
    if count < 0:
        return divide(ONE, full, scale)
    kept = min(full.scale, max(scale, one.scale))
    return checked(Number(full.at(kept), kept))


def root(one: Number, scale: int) -> Number:
    if one.digits < 0:
        raise BcError("Square root of a negative number")
    kept = max(scale, one.scale)
    return Number(math.isqrt(one.at(2 * kept)), kept)


def compare(one: Number, other: Number) -> int:
    scale = max(one.scale, other.scale)
    left, right = one.at(scale), other.at(scale)
    return (left > right) - (left < right)


# -- the functions of -l ---------------------------------------------------------------------------


def library(name: str, value: Number, scale: int) -> Number:
    """Return `s`, `c`, `a`, `l` or `e` of a number."""
    if scale > MAX_LIBRARY_SCALE:
        raise BcError(f"{name}() with a scale above {MAX_LIBRARY_SCALE}")
    x = value.decimal()
    if name == "e" and abs(x) > 2 * MAX_DIGITS:
        raise BcError(f"a number of more than {MAX_DIGITS} digits")
    size = max(0, x.adjusted()) if x else 0
    if size > 1_000:
        raise BcError(f"{name}() of a number that is too large")
    extra = int(abs(x) / 2) if name == "e" else size
    context = decimal.Context(prec=scale + _GUARD + 2 * extra + 2)
    with decimal.localcontext(context):
        if name == "l":
            if x <= 0:
                return Number(-(10**scale - 1) * 10**scale - (10**scale - 1), scale)
            result = x.ln()
        elif name == "e":
            result = x.exp()
        elif name == "a":
            result = _arctangent(x)
        else:
            result = _sine(x, cosine=name == "c")
    return Number(int(result.scaleb(scale, _wide())), scale)


def _arctangent(x: Decimal) -> Decimal:
    """Halve the angle until the series runs quickly."""
    halvings = 0
    while abs(x) > Decimal("0.05"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total = term = x
    number = 1
    while abs(term) > Decimal(10) ** -decimal.getcontext().prec:
        term = -term * x * x
        number += 2
        total += term / number
    return total * Decimal(2) ** halvings


def _sine(x: Decimal, *, cosine: bool) -> Decimal:
    turn = 8 * _arctangent(Decimal(1))
    x %= turn
    total = term = Decimal(1) if cosine else x
    number = 0 if cosine else 1
    while abs(term) > Decimal(10) ** -decimal.getcontext().prec:
        term = -term * x * x / ((number + 1) * (number + 2))
        number += 2
        total += term
    return total
