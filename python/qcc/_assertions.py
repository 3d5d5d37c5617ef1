# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints on symbolic sizes, which programs of JAX have as calls of `shape_assertion`.

The compiler drops these calls. Here they are computed from the sizes of arguments, before each run with new sizes. Their
operands are integers, computed by functions of the program that have integers only.
"""

from __future__ import annotations

import operator
import re
from typing import Any, Callable, Dict, List, Sequence, Tuple

from .errors import InvalidArgumentError, UnsupportedError

_FUNCTION = re.compile(r"^ *func\.func (?:public |private )?@(\S+?)\(", re.MULTILINE)
_OP = re.compile(r"^ *(%\w+)(?::\d+)? = \"?([\w.]+)\"?(.*)$", re.MULTILINE)
_ASSERTION = re.compile(r'^ *stablehlo\.custom_call @shape_assertion\(([^)]*)\).*error_message = "((?:[^"\\]|\\.)*)"',
                        re.MULTILINE)
_RETURN = re.compile(r"^ *return (.*)$", re.MULTILINE)
_VALUE = re.compile(r"%\w+(?:#\d+)?")
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")


def _divide(a: int, b: int) -> int:
    """The quotient without its fraction."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_OPS: Dict[str, Callable[..., int]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": _divide,
    "remainder": lambda a, b: a - _divide(a, b) * b, "maximum": max, "minimum": min, "negate": operator.neg, "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0), "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "select": lambda condition, a, b: a if condition else b, "convert": int, "reshape": int,
}
_COMPARISONS = {"EQ": operator.eq, "NE": operator.ne, "GE": operator.ge, "GT": operator.gt, "LE": operator.le,
                "LT": operator.lt}


class _Body:
    """A function of the program: what computes each value, and what it returns."""

    def __init__(self, text: str) -> None:
        self.ops: Dict[str, Tuple[str, str]] = {name: (op, rest) for name, op, rest in _OP.findall(text)}
        returned = _RETURN.search(text)
        self.results: List[str] = _VALUE.findall(returned.group(1).partition(" : ")[0]) if returned else []


class Assertions:
    """The constraints of a program on the sizes of its arguments."""

    def __init__(self, text: str) -> None:
        """Reads the constraints of a program in the form that StableHLO prints.

        Raises:
            UnsupportedError: a constraint is computed by an op that is not known here.
        """
        self._functions: Dict[str, str] = {}
        self._bodies: Dict[str, _Body] = {}
        self._assertions: List[Tuple[List[str], str]] = []
        self._fulfilled: "set[Tuple[Tuple[int, ...], ...]]" = set()
        if "@shape_assertion" not in text:
            return
        starts = list(_FUNCTION.finditer(text))
        for start, end in zip(starts, [match.start() for match in starts[1:]] + [len(text)]):
            self._functions[start.group(1)] = text[start.end():end]
        main = self._functions.get("main", "")
        self._assertions = [(_VALUE.findall(operands), message) for operands, message in _ASSERTION.findall(main)]
        # Finds ops that are not known. No program has arguments of more dimensions.
        self._broken([(1,) * 64] * len(re.findall(r"%arg\d+: ", main)))
        self._functions.clear()  # Those that constraints call have bodies now; others may have weights.

    def check(self, shapes: Sequence[Tuple[int, ...]]) -> None:
        """Refuses shapes of arguments that break a constraint.

        Raises:
            InvalidArgumentError: has JAX's text, which names the constraint.
        """
        key = tuple(shapes)
        if not self._assertions or key in self._fulfilled:
            return
        message = self._broken(shapes)
        if message is not None:
            raise InvalidArgumentError(f"{message}; give arguments of sizes that fulfill it, or compile for other symbolic sizes")
        self._fulfilled.add(key)

    def _broken(self, shapes: Sequence[Tuple[int, ...]]) -> "str | None":
        """The message of a constraint that shapes break: one that the user wrote, if there is one."""
        values: Dict[str, Any] = {f"%arg{index}": shape for index, shape in enumerate(shapes)}
        broken = None
        for (condition, *operands), message in self._assertions:
            # JAX puts what it derives from a constraint before the constraint, both with the same text.
            if not self._value("main", condition, values) and (broken is None or "symbolic shape constraint" in message):
                broken = _format(message, [self._value("main", operand, values) for operand in operands])
        return broken

    def _value(self, function: str, name: str, values: Dict[str, Any]) -> Any:
        """A value of a function, of which `values` are known."""
        base, _, index = name.partition("#")
        if base not in values:
            values[base] = self._compute(function, base, values)
        return values[base][int(index)] if index else values[base]

    def _body(self, function: str) -> _Body:
        if function not in self._bodies:
            self._bodies[function] = _Body(self._functions[function])
        return self._bodies[function]

    def _compute(self, function: str, name: str, values: Dict[str, Any]) -> Any:
        op, rest = self._body(function).ops[name]
        kind = op.rpartition(".")[2]
        if kind == "constant":
            number = re.search(r"dense<(-?\d+|true|false)>", rest)
            if number:
                return {"true": 1, "false": 0}[number.group(1)] if number.group(1)[0] in "tf" else int(number.group(1))
        operands = [self._value(function, operand, values) for operand in _VALUE.findall(rest.partition(" : ")[0])]
        if kind == "get_dimension_size":
            return operands[0][int(rest.partition("dim = ")[2].split()[0])]
        direction = rest.partition(",")[0].strip()
        if kind == "compare" and direction in _COMPARISONS:
            return int(_COMPARISONS[direction](*operands))
        if kind == "call":
            return self._call(rest.strip().partition("(")[0][1:], operands)
        if kind not in _OPS or not all(isinstance(operand, int) for operand in operands):
            raise UnsupportedError(f"a constraint on symbolic sizes is computed by '{op}', which qcc does not know; leave it out "
                                   "of the constraints of jax.export.symbolic_shape")
        return _OPS[kind](*operands)

    def _call(self, function: str, operands: Sequence[Any]) -> Any:
        values: Dict[str, Any] = {f"%arg{index}": operand for index, operand in enumerate(operands)}
        results = [self._value(function, result, values) for result in self._body(function).results]
        return results[0] if len(results) == 1 else results


def _format(message: str, numbers: Sequence[Any]) -> str:
    """JAX's message with its numbers, up to where it sends readers to the documentation of JAX."""
    def plain(match: "re.Match[str]") -> str:
        code = match.group(1)
        return chr(int(code, 16)) if len(code) == 2 else {"n": "\n", "t": "\t"}.get(code, code)

    text = _ESCAPE.sub(plain, message).partition("Please see")[0]
    for index, number in enumerate(numbers):
        text = text.replace(f"{{{index}}}", str(number))
    return " ".join(text.split()).rstrip(" .,")
