"""Writes small models of TensorFlow Lite, without TensorFlow."""

import flatbuffers
import numpy as np

TYPES = {np.dtype(name): number for name, number in (
    ("float32", 0), ("float16", 1), ("int32", 2), ("uint8", 3), ("int64", 4), ("bool", 6), ("int16", 7), ("int8", 9))}
RESOURCE = 13
CODES = dict(ADD=0, AVERAGE_POOL_2D=1, CONCATENATION=2, CONV_2D=3, DEPTHWISE_CONV_2D=4, DEQUANTIZE=6, FULLY_CONNECTED=9, LOGISTIC=14,
             MAX_POOL_2D=17, MUL=18, RELU=19, RELU6=21, RESHAPE=22, RESIZE_BILINEAR=23, SOFTMAX=25, TANH=28, CUSTOM=32, PAD=34, GATHER=36,
             TRANSPOSE=39, MEAN=40, SUB=41, SQUEEZE=43, STRIDED_SLICE=45, TOPK_V2=48, SPLIT=49, CAST=53, PRELU=54, MAXIMUM=55, ARG_MAX=56, ARG_MIN=79,
             LESS=58, NEG=59, SELECT=64, SLICE=65, TRANSPOSE_CONV=67, TILE=69, SUM=74, SHAPE=77, REDUCE_PROD=81, PACK=83, UNPACK=88, FLOOR_DIV=90, RANGE=96,
             RESIZE_NEAREST_NEIGHBOR=97, LEAKY_RELU=98, MIRROR_PAD=100, REVERSE_V2=105, GATHER_ND=107, WHERE=109, QUANTIZE=114, HARD_SWISH=117,
             BATCH_TO_SPACE_ND=37, SPACE_TO_BATCH_ND=38, DENSIFY=124, IF=118, WHILE=119, SCATTER_ND=122, BATCH_MATMUL=126, CUMSUM=128, CALL_ONCE=129, CONV_3D=132, VAR_HANDLE=142, READ_VARIABLE=143,
             ASSIGN_VARIABLE=144)
SAME, VALID = 0, 1
RELU6 = 3


class Table(dict):
    """Values by the numbers of their fields: ints, floats, texts, arrays, tables and lists of tables. `i8(3)` is a byte."""


class i8(int):
    """A field of 1 byte."""


class u32(int):
    """A field without a sign."""


class i64(int):
    """A field of 8 bytes."""


def options(number, **fields):
    """Options of an op: their type, and their fields as `f0=...`."""
    return number, Table({int(name[1:]): value for name, value in fields.items()})


def _write(builder, table):
    def offset(value):
        if isinstance(value, Table):
            return _write(builder, value)
        if isinstance(value, (str, bytes)):
            return builder.CreateString(value)
        if isinstance(value, np.ndarray):
            return builder.CreateNumpyVector(value)
        offsets = [offset(item) for item in value]
        builder.StartVector(4, len(offsets), 4)
        for item in reversed(offsets):
            builder.PrependUOffsetTRelative(item)
        return builder.EndVector()

    offsets = {slot: offset(value) for slot, value in table.items() if not isinstance(value, (int, float))}
    builder.StartObject(max(table, default=-1) + 1)
    for slot, value in table.items():
        if slot in offsets:
            builder.PrependUOffsetTRelativeSlot(slot, offsets[slot], 0)
        elif isinstance(value, (bool, i8)):
            builder.PrependInt8Slot(slot, int(value), 0 if value else 1)
        elif isinstance(value, u32):
            builder.PrependUint32Slot(slot, int(value), 0 if value else 1)
        elif isinstance(value, i64):
            builder.PrependUint64Slot(slot, int(value), 0 if value else 1)
        elif isinstance(value, float):
            builder.PrependFloat32Slot(slot, value, 0.0 if value else 1.0)
        else:
            builder.PrependInt32Slot(slot, value, 0 if value else 1)
    return builder.EndObject()


def _int32(values):
    return np.array(values, np.int32)


class Graph:
    """A graph of a model. Methods return numbers of tensors."""

    def __init__(self, model):
        self.model, self.tensors, self.ops, self.inputs, self.outputs = model, [], [], [], []

    def tensor(self, shape, dtype=np.float32, scale=None, zero=0, data=None, axis=0, name=None, **fields):
        """`scale` and `zero` are numbers or lists. A size of -1 is not known."""
        table = Table({0: _int32([max(size, 1) for size in shape]), 1: i8(TYPES[np.dtype(dtype)] if dtype != RESOURCE else RESOURCE),
                       3: name or f"t{len(self.tensors)}"})
        if data is not None:
            table[2] = u32(self.model.buffer(np.ascontiguousarray(data).tobytes()))
        if scale is not None:
            scales = np.atleast_1d(np.float32(scale))
            table[4] = Table({2: scales, 3: np.broadcast_to(np.int64(zero), scales.shape).copy(), 6: axis})
        if -1 in shape:
            table[7] = _int32(shape)
        self.tensors.append(Table({**table, **{int(field[1:]): value for field, value in fields.items()}}))
        return len(self.tensors) - 1

    def input(self, *args, **fields):
        self.inputs.append(self.tensor(*args, **fields))
        return self.inputs[-1]

    def constant(self, data, dtype=None, **fields):
        array = np.asarray(data, dtype)
        return self.tensor(array.shape, array.dtype, data=array, **fields)

    def op(self, name, inputs, *outputs, opts=None):
        """`outputs` are numbers of tensors, or the arguments of `tensor` for new ones. Returns the only one, or all."""
        numbers = [out if isinstance(out, int) else self.tensor(*out[0], **out[1]) for out in outputs]
        table = Table({0: u32(self.model.code(name)), 1: _int32(inputs), 2: _int32(numbers)})
        if opts:
            table[3], table[4] = i8(opts[0]), opts[1]
        self.ops.append(table)
        return numbers[0] if len(numbers) == 1 else numbers

    def table(self):
        return Table({0: self.tensors, 1: _int32(self.inputs), 2: _int32(self.outputs), 3: self.ops, 4: "graph"})


def new(*args, **fields):
    """A result of an op: the arguments of Graph.tensor."""
    return args, fields


class Model:
    def __init__(self):
        self.codes, self.buffers, self.graphs, self.signatures = [], [b""], [], []
        self.main = self.graph()

    def graph(self):
        self.graphs.append(Graph(self))
        return self.graphs[-1]

    def buffer(self, data):
        self.buffers.append(data)
        return len(self.buffers) - 1

    def code(self, name):
        if name not in self.codes:
            self.codes.append(name)
        return self.codes.index(name)

    def write(self, *outputs, external=False):
        """The bytes of a file; `outputs` are those of the main graph. Buffers may lie behind the flatbuffer."""
        self.main.outputs = list(outputs)
        if not external:
            return self._flatbuffer([Table({0: np.frombuffer(data, np.uint8)} if data else {}) for data in self.buffers])
        start = len(self._flatbuffer([Table({1: i64(8), 2: i64(8)}) for _ in self.buffers]))
        buffers = [Table({1: i64(start + sum(map(len, self.buffers[:i]))), 2: i64(len(data))}) for i, data in enumerate(self.buffers)]
        return self._flatbuffer(buffers) + b"".join(self.buffers)

    def _flatbuffer(self, buffers):
        codes = []
        for name in self.codes:
            number = CODES.get(name, CODES["CUSTOM"])
            code = Table({0: i8(min(number, 127)), 3: number})
            if name not in CODES:
                code[1] = name
            codes.append(code)
        builder = flatbuffers.Builder(1024)
        signatures = [Table({2: name, 4: u32(graph)}) for name, graph in self.signatures]
        root = _write(builder, Table({0: u32(3), 1: codes, 2: [graph.table() for graph in self.graphs], 3: "test", 4: buffers,
                                      7: signatures}))
        builder.Finish(root, file_identifier=b"TFL3")
        return bytes(builder.Output())


# TFLite's arithmetic in numpy

def quantize_multiplier(factor):
    fraction, exponent = np.frexp(np.float64(factor))
    value = int(np.floor(fraction * 2.0 ** 31 + 0.5))
    if value == 2 ** 31:
        value, exponent = value // 2, exponent + 1
    return value, int(exponent)


def scale_twice(x, factor):
    """The reference's rounding: half up behind 31 bits, then half away from zero."""
    value, exponent = quantize_multiplier(factor)
    left, right = max(exponent, 0), max(-exponent, 0)
    high = (x.astype(np.int64) * 2 ** left * value + 2 ** 30) >> 31
    if right == 0:
        return high
    mask = 2 ** right - 1
    return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))


def scale_once(x, factor):
    value, exponent = quantize_multiplier(factor)
    shift = 31 - exponent
    return (x.astype(object) * value + 2 ** (shift - 1)) >> shift


def narrow(x, zero, dtype=np.int8, least=None, most=None):
    info = np.iinfo(dtype)
    return np.clip(x + zero, info.min if least is None else least, info.max if most is None else most).astype(dtype)
