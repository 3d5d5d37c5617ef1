"""Draws models of one op from the schemas of ONNX and of ONNX Runtime.

A generator of an op draws inputs and attributes through a `Draw`, which knows the op's schema in one version of the
operator set: it leaves out the attributes that this version lacks, and remembers which ones were set, so that a test can
tell the attributes that no generator sets.
"""

import copy
import dataclasses

import numpy as np
import onnx.defs
from onnx import helper, numpy_helper

F32, F64, F16, I64 = np.float32, np.float64, np.float16, np.int64
#: Element types by their names in schemas.
KINDS = {"float": F32, "double": F64, "float16": F16, "int8": np.int8, "uint8": np.uint8, "int16": np.int16,
         "uint16": np.uint16, "int32": np.int32, "uint32": np.uint32, "int64": I64, "uint64": np.uint64, "bool": np.bool_}
#: How often each is drawn, beside 1.
WEIGHTS = {"float": 12, "int64": 3, "int32": 3, "uint8": 3, "int8": 3, "float16": 2, "double": 2, "bool": 2}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38, 1.0, -1.0])
#: The last operator set of the installed ONNX.
LAST = onnx.defs.onnx_opset_version()


def required_of(schema):
    return {name for name, attribute in schema.attributes.items() if attribute.required}


@dataclasses.dataclass(frozen=True)
class Version:
    """An op in one version, and the operator sets in which it holds."""
    schema: object
    first: int
    last: int

    @property
    def name(self):
        return (f"{self.schema.domain}::" if self.schema.domain else "") + self.schema.name

    def __str__(self):
        return f"{self.name}-{self.schema.since_version}"


def versions(op, since, first):
    """The versions of an op of ONNX that hold from operator set `first` on; `since` are all that an import knows."""
    found = sorted((s for s in onnx.defs.get_all_schemas_with_history() if s.domain == "" and s.name == op),
                   key=lambda s: s.since_version)
    for schema, after in zip(found, [*found[1:], None]):
        end = after.since_version - 1 if after else LAST
        if end >= first and schema.since_version in since:
            yield Version(schema, max(first, schema.since_version), end)


class Draw:
    """A node in the making. Inputs and attributes follow in the order of the schema."""

    def __init__(self, version, seed):
        self.random = np.random.default_rng(seed)
        self.version, self.schema = version, version.schema
        self.opset = self.integer(version.first, version.last)
        self.names, self.infos, self.constants, self.feed = [], [], [], {}
        self.attributes, self.outputs = {}, 1
        #: Whether results equal those of the other engine, although other results of the op need not (onnx_bounds.py).
        self.is_exact = False
        #: How many times the bound of the op holds, where sums are greater than the results that they lead to.
        self.amplification = 1.0
        #: What an integer result is before it is rounded, in float64; it decides instead of another engine.
        self.expected_value = None
        #: Why no other engine defines the op as ONNX does, or None.
        self.no_peer = None
        #: The same node with other inputs, for engines that do not take these; None: they do.
        self.peer = None
        self.is_dynamic = self.chance(0.25)

    # Numbers.

    def chance(self, part):
        return bool(self.random.random() < part)

    def integer(self, low, high):
        """From low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def pick(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def real(self, low, high):
        """A number that is the same in float32."""
        return float(F32(self.random.uniform(low, high)))

    def shape(self, least=1, most=4, largest=6):
        return tuple(self.integer(1, largest) for _ in range(self.integer(least, most)))

    def kind(self, i=0, *among):
        """A type that input `i` may have, one of `among` if these are given."""
        names = sorted(name[7:-1] for name in self.schema.inputs[i].types if name.startswith("tensor("))
        names = [n for n in names if n in KINDS and (not among or KINDS[n] in among)]
        weights = np.array([WEIGHTS.get(n, 1) for n in names], float)
        return KINDS[self.random.choice(names, p=weights / weights.sum())]

    def array(self, shape, kind=F32, spread=2.0, special=False):
        """Numbers of a type: floats around 0, integers over the range or, of more than 8 bits, a small one."""
        kind = np.dtype(kind)
        if kind == np.bool_:
            return self.random.random(shape) < 0.5
        if kind.kind in "iu":
            info = np.iinfo(kind)
            low, high = (info.min, info.max) if kind.itemsize == 1 or special else (max(info.min, -100), 100)
            return self.random.integers(low, high, shape, dtype=kind, endpoint=True)
        x = self.random.normal(0, spread, shape)
        if special:
            x = np.where(self.random.random(shape) < 0.3, self.random.choice(SPECIAL, shape), x)
        with np.errstate(over="ignore", under="ignore"):
            return x.astype(kind)

    def weight(self, shape, kind):
        """Bytes that are multiplied by others: of int8 those of 7 bits, since kernels of ONNX Runtime for processors without
        VNNI saturate the sum of two products at 16 bits."""
        return self.random.integers(-64, 64, shape, dtype=np.int8) if kind == np.int8 else self.array(shape, kind)

    def broadcast(self, shape):
        """A shape that is broadcast to this one."""
        own = tuple(1 if self.chance(0.2) else n for n in shape)
        return own[self.integer(0, len(own)):] if self.chance(0.25) else own

    # The node.

    @property
    def since(self):
        return self.schema.since_version

    def has(self, attribute):
        return attribute in self.schema.attributes

    def set(self, part=0.75, **attributes):
        """Sets attributes that this version has: required ones, and others with a probability. Whether it did."""
        done = False
        for name, value in attributes.items():
            if self.has(name) and (name in required_of(self.schema) or self.chance(part)):
                self.attributes[name] = value
                done = True
        return done

    def get(self, name, absent):
        return self.attributes.get(name, absent)

    def input(self, array, constant=0.15):
        """An input of the graph, of dynamic sizes or not; or a constant, with a probability."""
        array = np.asarray(array, order="C")
        name = f"x{len(self.names)}"
        self.names.append(name)
        if self.peer:
            self.peer.fixed(array, 0)
        if self.chance(constant):
            self.constants.append(numpy_helper.from_array(array, name))
            return array
        dims = [f"{name}_{d}" if self.is_dynamic and n > 1 and constant < 1 and self.chance(0.5) else n
                for d, n in enumerate(array.shape)]
        self.infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), dims))
        self.feed[name] = array
        return array

    def value(self, i):
        """The array of input `i`."""
        name = self.names[i]
        return self.feed[name] if name in self.feed else next(
            numpy_helper.to_array(tensor) for tensor in self.constants if tensor.name == name)

    def constant(self, array):
        return self.input(array, 1)

    def fixed(self, array, constant=0.15):
        """An input whose sizes are known."""
        dynamic, self.is_dynamic = self.is_dynamic, False
        self.input(array, constant)
        self.is_dynamic = dynamic
        return array

    def omit(self):
        self.names.append("")
        if self.peer:
            self.peer.omit()

    def fork(self):
        """Makes a peer, which gets the inputs that follow as well."""
        self.peer = copy.copy(self)
        self.peer.random = copy.deepcopy(self.random)
        self.peer.names, self.peer.infos, self.peer.constants, self.peer.feed = [], [], [], {}
        return self.peer

    def maybe(self, array, part=0.5, constant=0.15, fixed=False):
        """An optional input; whether it is there."""
        there = self.chance(part)
        if there:
            self.fixed(array, constant) if fixed else self.input(array, constant)
        else:
            self.omit()
        return there

    def model(self):
        # ONNX Runtime's own ops ask for the names of inputs that are left out, and end the process without.
        while not self.schema.domain and self.names and not self.names[-1]:
            self.names.pop()
        results = [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.schema.name, self.names, results, "the_node", domain=self.schema.domain,
                                **self.attributes)
        infos = [onnx.ValueInfoProto(name=name) for name in results]
        graph = helper.make_graph([node], "one", self.infos, infos, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


#: What draws the inputs and attributes of each op.
GENERATORS = {}


def generates(*ops):
    def keep(function):
        for op in ops:
            assert op not in GENERATORS, op
            GENERATORS[op] = function
        return function
    return keep


def draw(version, seed):
    d = Draw(version, seed)
    GENERATORS[version.name](d)
    return d
