"""linalg ops as linalg.generic says them, by N3 and N8 of docs/Numerics.md, for fuzz_graph.py."""

import re

import numpy as np

import oracle
from fuzz_scalars import DTYPES, Unknown, binary, is_float, reduce_flat, round_to, scalar_op

f32 = np.float32
COMBINES = {"addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"}


def parse(text):
    """The terms of a map: for each dimension the factors of loops, "d1 * 2 + d4 * 3"."""
    dims = []
    for index in filter(None, (part.strip() for part in text.split(","))):
        terms = {}
        for term in index.split("+"):
            match = re.fullmatch(r"d(\d+)(?: \* (\d+))?", term.strip())
            if match:
                terms[int(match.group(1))] = int(match.group(2) or 1)
            elif term.strip() != "0":
                raise Unknown(text)
        dims.append(terms)
    return dims


class Nest:
    """The loops of an op. Its arrays have the parallel loops first, then those that are reduced,
    each of both in the order of the op."""

    def __init__(self, maps, iterators, shapes):
        self.maps = [parse(text) for text in maps]
        self.sizes = {}
        for dims, shape in zip(self.maps, shapes):
            for terms, size in zip(dims, shape):
                if list(terms.values()) == [1]:
                    self.sizes[next(iter(terms))] = size
        self.parallel = [i for i, kind in enumerate(iterators) if kind == "parallel"]
        self.reduced = [i for i, kind in enumerate(iterators) if kind != "parallel"]
        self.order = self.parallel + self.reduced
        self.space = tuple(self.sizes[i] for i in self.order)
        self.outer = self.space[: len(self.parallel)]

    def loop(self, index):
        """The values of a loop."""
        at = self.order.index(index)
        shape = [-1 if i == at else 1 for i in range(len(self.order))]
        return np.arange(self.sizes[index]).reshape(shape)

    def spread(self, array, number):
        """An operand's element for each step."""
        places = []
        for terms in self.maps[number]:
            place = sum(self.loop(i) * factor for i, factor in terms.items())
            places.append(np.broadcast_to(place, [1] * len(self.order)) if not terms else place)
        array = array[tuple(places)] if places else array
        return np.broadcast_to(array, self.space)

    def gather(self, array):
        """What the result holds, in the order of the parallel loops."""
        return np.transpose(array, [self.result().index(i) for i in self.parallel])

    def scatter(self, array):
        return np.transpose(array, [self.parallel.index(i) for i in self.result()]).copy()

    def result(self):
        return [next(iter(terms)) for terms in self.maps[-1]]

    def uses(self, number, dim, loops):
        """Whether one of the loops moves along a dimension of an operand."""
        return any(loop in loops for loop in self.maps[number][dim])


def literal(text, element):
    if text in ("true", "false"):
        return np.bool_(text == "true")
    if not is_float(element):
        return np.array(int(text)).astype(DTYPES[element])
    if element == "bf16":
        return np.array(int(text, 16) << 16, np.uint32).view(f32)
    return np.array(int(text, 16), f"u{DTYPES[element]().itemsize}").view(DTYPES[element])


def branch(op, operands):
    """scf.if of a body: both branches, of which the condition chooses."""
    names = [name.split(".")[1] for name in op["attribute"].split()]
    yes, no = (binary(name, operands[1], operands[2], op["type"]) for name in names)
    return np.where(operands[0], yes, no)


def evaluate(body, arguments, loop):
    """All values of a body on arrays; `loop` gives those of linalg.index."""
    values = list(arguments)
    for op in body["ops"]:
        operands = [values[i] for i in op["operands"]]
        if op["op"] == "arith.constant":
            values.append(literal(op["attribute"], op["type"]))
        elif op["op"] == "linalg.index":
            values.append(loop(int(op["attribute"])))
        elif any(x is None for x in operands):
            values.append(None)
        elif op["op"] == "scf.if":
            values.append(branch(op, operands))
        else:
            values.append(scalar_op(op["op"], op["attribute"], operands, op["type"]))
    return values


def type_of(body, value):
    count = len(body["arguments"])
    return body["arguments"][value] if value < count else body["ops"][value - count]["type"]


def depends(body, value, on):
    if value == on:
        return True
    count = len(body["arguments"])
    return value >= count and any(
        depends(body, operand, on) for operand in body["ops"][value - count]["operands"]
    )


def combination(body):
    """(name, element) of combine(acc, e), or None (N8)."""
    acc, value = len(body["arguments"]) - 1, body["yields"][0]
    if value <= acc:
        return None
    op = body["ops"][value - acc - 1]
    name = op["op"].split(".")[1]
    if name not in COMBINES or op["operands"].count(acc) != 1:
        return None
    (e,) = [operand for operand in op["operands"] if operand != acc]
    return None if depends(body, e, acc) else (name, e)


def is_contraction(body):
    """acc + x * y, x and y being the inputs, each directly or through extf (N3)."""
    if len(body["arguments"]) != 3 or combination(body) is None:
        return False
    name, product = combination(body)
    if name != "addf" or product < 3 or body["ops"][product - 3]["op"] != "arith.mulf":
        return False

    def input_of(value):
        if value > 2 and body["ops"][value - 3]["op"] == "arith.extf":
            (value,) = body["ops"][value - 3]["operands"]
        return value

    return sorted(map(input_of, body["ops"][product - 3]["operands"])) == [0, 1]


def has_static_size(nest, loop, dynamic):
    """Whether one of the operands that a loop alone indexes says its size."""
    return any(
        terms == {loop: 1} and not is_dynamic
        for dims, flags in zip(nest.maps, dynamic)
        for terms, is_dynamic in zip(dims, flags)
    )


def integers_of(nest, reals, dynamic):
    """Whether a contraction of dequantized values is one of integers (N3)."""
    if not all(has_static_size(nest, loop, dynamic) for loop in nest.reduced):
        return False
    for number, real in enumerate(reals):
        if real is None or any(nest.uses(number, dim, nest.reduced) for dim in real.varies):
            return False
    # Zero points of the run count at their worst (N2).
    if int(np.prod([nest.sizes[i] for i in nest.reduced])) * 255 * 255 >= 2**31:
        raise Unknown("sums that may overflow")
    return True


def integer_contraction(nest, reals, initial):
    """N3; `initial` is None where it is the constant +0.0."""
    steps = [nest.spread(r.steps, i).astype(np.float64) for i, r in enumerate(reals)]
    axes = tuple(range(len(nest.outer), len(nest.space)))
    acc = oracle.wrap((steps[0] * steps[1]).sum(axes).astype(np.int64))
    first = (slice(None),) * len(nest.outer) + (0,) * len(nest.reduced)
    scales = [f32(nest.spread(r.scale, i)[first]) for i, r in enumerate(reals)]
    return oracle.real_result(acc, scales[0] * scales[1], initial)


def literal_contraction(nest, x, y, acc, element):
    """N8: a chain of fma."""
    if element == "f64":
        raise Unknown("fma of f64")
    x, y = (a.astype(f32).reshape(nest.outer + (-1,)) for a in (x, y))
    for k in range(x.shape[-1]):
        acc = round_to(oracle.fma(x[..., k], y[..., k], acc.astype(f32)), element)
    return acc


def carry_out(nest, body, inputs, initial, reals, dynamic, initial_is_zero):
    """The result of an op; `reals` are dequantized inputs, or None."""
    element = type_of(body, body["yields"][0])
    arrays = [nest.spread(x, i) for i, x in enumerate(inputs)]
    acc = nest.gather(initial)

    def loop(index):
        return np.broadcast_to(nest.loop(index), nest.space)

    def yielded(values, shape):
        value = values[body["yields"][0]]
        return np.broadcast_to(value, shape).astype(DTYPES[element])

    if not nest.reduced:
        return nest.scatter(yielded(evaluate(body, arrays + [acc], loop), nest.space))
    flat = nest.outer + (-1,)
    if 0 in nest.space:
        return nest.scatter(acc)
    if is_float(element) and is_contraction(body):
        if integers_of(nest, reals, dynamic):
            if element == "f64":
                raise Unknown("f64")
            result = integer_contraction(
                nest, reals, None if initial_is_zero else acc.astype(f32)
            )
            return nest.scatter(round_to(result, element))
        return nest.scatter(literal_contraction(nest, *arrays, acc, element))
    found = combination(body) if is_float(element) else None
    if found:
        name, e = found
        values = evaluate(body, arrays + [None], loop)
        e = np.broadcast_to(values[e], nest.space).reshape(flat)
        return nest.scatter(reduce_flat(name, e, acc, element))
    steps = [a.reshape(flat) for a in arrays]
    for k in range(steps[0].shape[-1] if steps else 0):
        values = evaluate(
            body, [a[..., k] for a in steps] + [acc], lambda i: loop(i).reshape(flat)[..., k]
        )
        acc = yielded(values, nest.outer)
    return nest.scatter(acc)
