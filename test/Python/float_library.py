"""Runs the fixed sequences of N8 as docs/Numerics.md lists them.

The document is the program: its steps are read, line by line, and carried out on numpy
arrays, one binary32 or 32-bit integer operation each.
"""

import pathlib
import re

import numpy as np

import oracle

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "Numerics.md"


class Hex(int):
    """A bit pattern: of a float where one is wanted, an integer otherwise."""


def floats(value):
    if isinstance(value, Float):
        return value.array
    if isinstance(value, Hex):
        return np.uint32(value).view(np.float32)
    return np.float32(value)


def integers(value):
    if isinstance(value, Integer):
        return value.array
    return np.array(int(value) & 0xFFFFFFFF, np.uint32).view(np.int32)


class Float:
    def __init__(self, array):
        self.array = np.asarray(array, np.float32)

    def __add__(self, other):
        return Float(self.array + floats(other))

    def __sub__(self, other):
        return Float(self.array - floats(other))

    def __rsub__(self, other):
        return Float(floats(other) - self.array)

    def __mul__(self, other):
        return Float(self.array * floats(other))

    def __rtruediv__(self, other):
        return Float(floats(other) / self.array)

    def __lt__(self, other):
        return self.array < floats(other)

    def __gt__(self, other):
        return self.array > floats(other)

    def __eq__(self, other):
        return self.array == floats(other)


class Integer:
    def __init__(self, array):
        self.array = np.asarray(array, np.int32)

    def __add__(self, other):
        return Integer(self.array + integers(other))

    def __sub__(self, other):
        return Integer(self.array - integers(other))

    def __and__(self, other):
        return Integer(self.array & integers(other))

    def __or__(self, other):
        return Integer(self.array | integers(other))

    def __lshift__(self, count):
        return Integer(self.array << np.int32(count))

    def __rshift__(self, count):
        return Integer(self.array >> np.int32(count))


OPERATIONS = {
    "fma": lambda a, b, c: Float(oracle.fma(floats(a), floats(b), floats(c))),
    "sqrt": lambda a: Float(np.sqrt(a.array)),
    "bits": lambda a: Integer(a.array.view(np.int32)),
    "float": lambda k: Float(integers(k).view(np.float32)),
    "i2f": lambda k: Float(k.array.astype(np.float32)),
    "select": lambda c, a, b: Float(np.where(c, floats(a), floats(b))),
    "Hex": Hex,
    "NaN": float("nan"),
    "infinity": float("inf"),
}


def translate(line):
    """A step of the document as (names, Python expression)."""
    step = re.split(r"\s{2,}", line.strip())[0]
    for old, new in (("−", "-"), ("·", "*"), ("∞", "infinity"), ("'", "_prime")):
        step = step.replace(old, new)
    target, expression = step.split(" = ", 1)
    match = re.fullmatch(r"(.*) \? (.*) : (.*)", expression)
    if match:
        condition = match.group(1).replace(" = ", " == ")
        expression = f"select({condition}, {match.group(2)}, {match.group(3)})"
    expression = re.sub(r"0x[0-9a-f]+", lambda m: f"Hex({m.group(0)})", expression)
    return re.findall(r"\w+", target), expression


def sections():
    """The steps of each function, and those of R(c), from the document's code blocks."""
    text = DOCUMENT.read_text()
    text = text[text.index("## The fixed sequences of N8") :]
    result = {}
    for section in re.split(r"\n### ", text)[1:]:
        name = section.split("\n", 1)[0].strip()
        blocks = re.findall(r"```\n(.*?)```", section, re.DOTALL)
        steps = [[translate(line) for line in block.splitlines() if line.strip()] for block in blocks]
        if name == "exp":
            result["R"], result["exp"] = steps
        else:
            (result[name],) = steps
    return result


SECTIONS = sections()


def carry_out(steps, names):
    scope = dict(OPERATIONS, R=reduced_exponential, **names)
    for targets, expression in steps:
        value = eval(expression, {"__builtins__": {}}, scope)  # the repository's own document
        scope.update(zip(targets, value if len(targets) > 1 else [value]))
    return scope, targets[0]


def reduced_exponential(c):
    scope, _ = carry_out(SECTIONS["R"], {"c": c})
    return scope["n"], scope["p"]


def apply(name, x):
    scope, last = carry_out(SECTIONS[name], {"x": Float(x)})
    return scope[last].array


def softmax_last(x):
    """linalg.softmax (N8) of f32 along the last axis."""
    e = apply("exp", x - oracle.reduce_max(x, -np.inf)[..., None])
    return e / oracle.reduce_sum(e)[..., None]
