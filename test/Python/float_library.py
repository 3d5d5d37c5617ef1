"""Runs the fixed sequences of N8 as docs/Numerics.md lists them.

The document is the program: its steps are read, line by line, and carried out on numpy
arrays, of binary32 or binary64 and of integers of the same width.
"""

import pathlib
import re

import numpy as np

import oracle

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "Numerics.md"


class Hex(int):
    """A bit pattern: of a float where one is wanted, an integer otherwise."""


INTEGERS = {np.dtype(np.float32): np.int32, np.dtype(np.float64): np.int64}


def floats(value, dtype):
    """A value of a step as an array of floats."""
    if isinstance(value, Float):
        return value.array
    if isinstance(value, Hex):
        return integers(value, INTEGERS[dtype]).view(dtype)
    return dtype.type(value)


def integers(value, dtype):
    """A value of a step as an array of integers, which wraps."""
    if isinstance(value, Integer):
        return value.array
    width = 8 * np.dtype(dtype).itemsize
    value = int(value) & ((1 << width) - 1)
    return dtype(value - (1 << width) if value >> (width - 1) else value)


class Float:
    def __init__(self, array):
        self.array = np.asarray(array)
        self.dtype = self.array.dtype

    def other(self, value):
        return floats(value, self.dtype)

    def __add__(self, other):
        return Float(self.array + self.other(other))

    __radd__ = __add__

    def __sub__(self, other):
        return Float(self.array - self.other(other))

    def __rsub__(self, other):
        return Float(self.other(other) - self.array)

    def __mul__(self, other):
        return Float(self.array * self.other(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return Float(self.array / self.other(other))

    def __rtruediv__(self, other):
        return Float(self.other(other) / self.array)

    def __lt__(self, other):
        return self.array < self.other(other)

    def __gt__(self, other):
        return self.array > self.other(other)

    def __eq__(self, other):
        return self.array == self.other(other)


class Integer:
    def __init__(self, array):
        self.array = np.asarray(array)

    def other(self, value):
        return integers(value, self.array.dtype.type)

    def __add__(self, other):
        return Integer(self.array + self.other(other))

    def __sub__(self, other):
        return Integer(self.array - self.other(other))

    def __and__(self, other):
        return Integer(self.array & self.other(other))

    def __or__(self, other):
        return Integer(self.array | self.other(other))

    __ror__ = __or__

    def __eq__(self, other):
        return self.array == self.other(other)

    def __lshift__(self, count):
        return Integer(self.array << self.other(count))

    def __rshift__(self, count):
        return Integer(self.array >> self.other(count))


def operations(dtype):
    """What steps on floats of a type may use."""
    integer = INTEGERS[dtype]

    def select(condition, a, b):
        if isinstance(a, Integer) or isinstance(b, Integer):
            return Integer(np.where(condition, integers(a, integer), integers(b, integer)))
        return Float(np.where(condition, floats(a, dtype), floats(b, dtype)))

    def shift_logically(k, count):
        unsigned = np.dtype(integer).str.replace("i", "u")
        return Integer((k.array.view(unsigned) >> np.dtype(unsigned).type(count)).view(integer))

    return {
        "fma": lambda a, b, c: Float(oracle.fma(floats(a, dtype), floats(b, dtype), floats(c, dtype))),
        "sqrt": lambda a: Float(np.sqrt(a.array)),
        "rint": lambda a: Float(np.rint(a.array)),
        "bits": lambda a: Integer(a.array.view(integer)),
        "float": lambda k: Float(integers(k, integer).view(dtype)),
        "i2f": lambda k: Float(k.array.astype(dtype)),
        "select": select,
        "shift_logically": shift_logically,
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
    expression = re.sub(r"(\w+) >>> (\d+)", r"shift_logically(\1, \2)", expression)
    expression = re.sub(r"0x[0-9a-f]+", lambda m: f"Hex({m.group(0)})", expression)
    return re.findall(r"\w+", target), expression


class Sequence:
    """A list of steps, as a function of Floats; the last step has the result, unless names are given."""

    def __init__(self, lines, dtype, arguments, results=None):
        self.steps = [translate(line) for line in lines if line.strip()]
        self.dtype, self.arguments, self.results = np.dtype(dtype), arguments, results

    def __call__(self, *values):
        scope = {**operations(self.dtype), **PARTS}
        scope.update((name, value if isinstance(value, Float) else Float(floats(value, self.dtype)))
                     for name, value in zip(self.arguments, values))
        for targets, expression in self.steps:
            value = eval(expression, {"__builtins__": {}}, scope)  # the repository's own document
            scope.update(zip(targets, value if len(targets) > 1 else [value]))
        results = tuple(scope[name] for name in self.results or targets)
        return results if len(results) > 1 else results[0]


#: What functions share: of one kind of floats each.
PARTS = {}


def sections():
    """The sequence of each function, from the document's code blocks."""
    text = DOCUMENT.read_text()
    text = text[text.index("## The fixed sequences of N8") :]
    text = text[: text.index("\n## ", 1)]
    result = {}
    for section in re.split(r"\n### ", text)[1:]:
        name = section.split("\n", 1)[0].strip()
        dtype = np.float64 if "binary64" in section else np.float32
        for block in re.findall(r"```\n(.*?)```", section, re.DOTALL):
            lines = block.splitlines()
            head = re.fullmatch(r"(\w)\((.*)\) → (.*)", lines[0])
            if head:  # a part of others
                PARTS[head[1]] = Sequence(lines[1:], dtype, head[2].split(", "), re.findall(r"\w+", head[3]))
            elif name == "exp" and "R" not in PARTS:
                PARTS["R"] = Sequence(lines, dtype, ["c"], ["n", "p"])
            else:
                result[name] = Sequence(lines, dtype, ["x", "y"])
    return result


SECTIONS = sections()


def apply(name, *arguments):
    """The function of f32 arrays."""
    sequence = SECTIONS[name]
    with np.errstate(all="ignore"):
        return sequence(*(Float(np.asarray(x, np.float32).astype(sequence.dtype)) for x in arguments)).array.astype(
            np.float32)


def softmax_last(x):
    """linalg.softmax (N8) of f32 along the last axis."""
    e = apply("exp", x - oracle.reduce_max(x, -np.inf)[..., None])
    return e / oracle.reduce_sum(e)[..., None]
