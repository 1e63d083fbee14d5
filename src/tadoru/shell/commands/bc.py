"""`bc`: numbers of any precision, as GNU's has them: truncated, `.5` without a zero, 70 columns.

Files come before stdin. Steps, digits and depth are bounded; `read()` and arrays as parameters are
refused. A statement that fails says so and the next one is run, as GNU has it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from tadoru.errors import TadoruError
from tadoru.shell.commands import bc_numbers as numbers
from tadoru.shell.commands.bc_numbers import ONE, ZERO, BcError, Number
from tadoru.shell.commands.bc_program import BcSyntaxError, Node, Parser
from tadoru.shell.commands.context import Context
from tadoru.shell.commands.operands import report
from tadoru.shell.commands.options import Option, Options

OPTIONS = Options(
    Option("library", "l", "mathlib"),
    Option("ignored", "qsiw", "quiet standard interactive warn"),
)
LIBRARY_SCALE = 20
MAX_CALLS = 40
"""Functions inside functions."""
BATCH = 1 << 16
EVERY = 1_000
"""Steps between two looks at the clock."""
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "q": '"', "\\": "\\"}
_COMPARES: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
}


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Quit(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Number) -> None:
        super().__init__()
        self.value = value


async def main(ctx: Context) -> int:
    parsed, operands = OPTIONS.parse(ctx.name, ctx.argv, usage_code=1)
    machine = _Machine(ctx.deadline.check)
    if any(key == "library" for key, _ in parsed):
        machine.library = True
        machine.scale = LIBRARY_SCALE
    texts = []
    for operand in operands:
        try:
            texts.append(ctx.read_file(operand).decode("utf-8", "replace"))
        except TadoruError as error:
            await report(ctx, operand, error)
            return 1
    texts.append((await ctx.read_all()).decode("utf-8", "replace"))
    for text in texts:
        if not await _run(ctx, machine, text):
            break
    await ctx.write("".join(machine.out).encode())
    return 0


async def _run(ctx: Context, machine: _Machine, text: str) -> bool:
    """Run a text; False once it has said `quit`."""
    parser = Parser(text)
    broken = False
    while True:
        try:
            if broken:
                parser.skip_line()
            broken = False
            statement = parser.statement()
            if statement is None:
                return True
            machine.run(statement)
        except BcSyntaxError as error:
            await ctx.push_error(f"{error}\n".encode())
            broken = True
        except RecursionError:
            await ctx.push_error(b"Runtime error (func=(main)): nested too deep\n")
            broken = True
        except BcError as error:
            await ctx.push_error(f"Runtime error (func=(main)): {error}\n".encode())
            broken = True
        except _Quit:
            return False
        except (_Break, _Continue, _Return):
            await ctx.push_error(b"(standard_in): break, continue or return outside\n")
        if machine.held > BATCH:
            await ctx.write("".join(machine.out).encode())
            machine.forget()


class _Machine:
    """Variables, functions, and what was printed."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self.library = False
        self.scale = 0
        self._bases = {"ibase": 10, "obase": 10}
        self._variables: dict[str, Number] = {}
        self._arrays: dict[tuple[str, int], Number] = {}
        self._functions: dict[str, Node] = {}
        self._depth = 0
        self._ticks = count(1)
        self.out: list[str] = []
        self.held = 0

    def forget(self) -> None:
        self.out.clear()
        self.held = 0

    def _print(self, text: str) -> None:
        self.out.append(text)
        self.held += len(text)

    # -- statements ----------------------------------------------------------------------------

    def run(self, node: Node) -> None:
        if not next(self._ticks) % EVERY:
            self._check()
        kind = node[0]
        if kind == "value":
            self._show(node[1])
        elif kind == "block":
            for statement in node[1]:
                self.run(statement)
        elif kind == "text":
            self._print(node[1])
        elif kind == "print":
            for part in node[1]:
                self._print(
                    _escaped(part[1])
                    if part[0] == "text"
                    else numbers.show(self.value(part), self._bases["obase"])
                )
        elif kind == "if":
            chosen = node[2] if self.value(node[1]).digits else node[3]
            if chosen is not None:
                self.run(chosen)
        elif kind == "for":
            self._loop(node)
        elif kind == "define":
            self._functions[node[1]] = node
        else:
            self._leave(node)

    def _leave(self, node: Node) -> None:
        if node[0] == "return":
            raise _Return(self.value(node[1]))
        if node[0] == "break":
            raise _Break
        raise _Continue if node[0] == "continue" else _Quit

    def _loop(self, node: Node) -> None:
        _, first, test, after, body = node
        if first is not None:
            self.value(first)
        while test is None or self.value(test).digits:
            try:
                self.run(body)
            except _Break:
                return
            except _Continue:
                pass
            if after is not None:
                self.value(after)

    def _show(self, node: Node) -> None:
        """Evaluate a statement that is an expression; assignments and `void` print nothing."""
        value = self.value(node)
        if node[0] == "assign":
            return
        if node[0] == "call" and node[1] in self._functions and self._functions[node[1]][5]:
            return
        self._variables["last"] = value
        self._print(numbers.show(value, self._bases["obase"]) + "\n")

    # -- expressions ---------------------------------------------------------------------------

    def value(self, node: Node) -> Number:
        if not next(self._ticks) % EVERY:
            self._check()
        kind = node[0]
        if kind == "number":
            return numbers.parse(node[1], self._bases["ibase"])
        if kind in ("variable", "element"):
            return self._get(node)
        if kind == "group":
            return self.value(node[1])
        if kind == "negative":
            return numbers.negate(self.value(node[1]))
        if kind == "chain":
            value = self.value(node[1])
            for sign, operand in node[2]:
                value = self._binary(sign, value, self.value(operand))
            return value
        if kind == "not":
            return ZERO if self.value(node[1]).digits else ONE
        if kind == "assign":
            value = self.value(node[3])
            if node[1]:
                value = self._binary(node[1], self._get(node[2]), value)
            return self._set(node[2], value)
        if kind == "step":
            before = self._get(node[2])
            after = self._set(node[2], numbers.add(before, ONE if node[1] == "++" else Number(-1)))
            return before if node[3] == "after" else after
        return self._call(node)

    def _binary(self, sign: str, one: Number, other: Number) -> Number:
        if sign == "+":
            return numbers.add(one, other)
        if sign == "-":
            return numbers.add(one, numbers.negate(other))
        if sign == "*":
            return numbers.multiply(one, other, self.scale)
        if sign == "/":
            return numbers.divide(one, other, self.scale)
        if sign == "%":
            return numbers.remainder(one, other, self.scale)
        if sign == "^":
            return numbers.power(one, other, self.scale)
        left, right = bool(one.digits), bool(other.digits)
        if sign == "&&":
            holds = left and right
        elif sign == "||":
            holds = left or right
        else:
            holds = _COMPARES[sign](numbers.compare(one, other))
        return ONE if holds else ZERO

    def _get(self, place: Node) -> Number:
        if place[0] == "element":
            return self._arrays.get((place[1], self.value(place[2]).whole()), ZERO)
        name = place[1]
        if name == "scale":
            return Number(self.scale)
        if name in self._bases:
            return Number(self._bases[name])
        return self._variables.get(name, ZERO)

    def _set(self, place: Node, value: Number) -> Number:
        if place[0] == "element":
            if len(self._arrays) > numbers.MAX_DIGITS:
                raise BcError("too many elements of arrays")
            self._arrays[place[1], self.value(place[2]).whole()] = value
        elif place[1] == "scale":
            self.scale = min(max(0, value.whole()), numbers.MAX_DIGITS)
        elif place[1] in self._bases:
            top = 16 if place[1] == "ibase" else 999
            self._bases[place[1]] = min(max(2, value.whole()), top)
        else:
            self._variables[place[1]] = value
        return value

    def _call(self, node: Node) -> Number:
        _, name, arguments = node
        values = [self.value(argument) for argument in arguments]
        if name in self._functions:
            return self._own(self._functions[name], values)
        if len(values) == 1:
            found = self._built_in(name, values[0])
            if found is not None:
                return found
        raise BcError(f"Function {name} not defined.")

    def _built_in(self, name: str, value: Number) -> Number | None:
        if name == "length":
            return Number(numbers.length(value))
        if name == "scale":
            return Number(value.scale)
        if name == "sqrt":
            return numbers.root(value, self.scale)
        if self.library and name in ("s", "c", "a", "l", "e"):
            return numbers.library(name, value, self.scale)
        return None

    def _own(self, function: Node, values: list[Number]) -> Number:
        _, name, parameters, local, body, _ = function
        if len(values) != len(parameters):
            raise BcError("Parameter number mismatch")
        if self._depth >= MAX_CALLS:
            raise BcError(f"more than {MAX_CALLS} calls of {name} inside each other")
        hidden: dict[str, Any] = {n: self._variables.get(n) for n in (*parameters, *local)}
        self._variables.update(zip(parameters, values, strict=True))
        self._variables.update((n, ZERO) for n in local)
        self._depth += 1
        try:
            for statement in body:
                self.run(statement)
        except _Return as result:
            return result.value
        finally:
            self._depth -= 1
            for n, value in hidden.items():
                if value is None:
                    self._variables.pop(n, None)
                else:
                    self._variables[n] = value
        return ZERO


def _escaped(text: str) -> str:
    """Return the text of `print` with its escapes."""
    pieces, letters = [], iter(text)
    for letter in letters:
        if letter == "\\":
            following = next(letters, "")
            pieces.append(_ESCAPES.get(following, "\\" + following))
        else:
            pieces.append(letter)
    return "".join(pieces)
