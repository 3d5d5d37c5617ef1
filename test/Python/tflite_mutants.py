"""Damaged models of TensorFlow Lite: python tflite_mutants.py FIRST LAST compiles those of these seeds, and prints each seed."""

import random
import resource
import struct
import sys
import time

import numpy as np

import tflite_model as t
from tflite_model import Model, new, options

#: The most seconds of a model, and bytes of this process.
LIMIT, MEMORY = 30, 6 << 30
I32 = np.int32


def images():
    m = Model()
    g = m.main
    x = g.input((1, 8, 8, 4), np.int8, 0.05, 7)
    conv = g.op("CONV_2D", [x, g.constant(np.ones((4, 3, 3, 4), np.int8), scale=np.full(4, 0.1, np.float32)), g.constant([1, 2, 3, 4], I32)],
                new((1, 4, 4, 4), np.int8, 0.4, -3), opts=options(1, f0=t.i8(t.SAME), f1=2, f2=2, f3=t.i8(3)))
    deep = g.op("DEPTHWISE_CONV_2D", [conv, g.constant(np.ones((1, 3, 3, 4), np.int8), scale=0.1)], new((1, 4, 4, 4), np.int8, 0.4, 0),
                opts=options(2, f0=t.i8(t.SAME), f1=1, f2=1, f3=1))
    up = g.op("TRANSPOSE_CONV", [g.constant([1, 8, 8, 2], I32), g.constant(np.ones((2, 3, 3, 4), np.int8), scale=0.1), deep],
              new((1, 8, 8, 2), np.int8, 0.4, 0), opts=options(49, f0=t.i8(t.SAME), f1=2, f2=2))
    large = g.op("RESIZE_BILINEAR", [up, g.constant([5, 5], I32)], new((1, 5, 5, 2), np.int8, 0.4, 0), opts=options(15, f3=True))
    near = g.op("RESIZE_NEAREST_NEIGHBOR", [up, g.constant([5, 5], I32)], new((1, 5, 5, 2), np.int8, 0.4, 0), opts=options(74, f0=True))
    pool = g.op("AVERAGE_POOL_2D", [near], new((1, 5, 5, 2), np.int8, 0.4, 0), opts=options(5, f0=t.i8(t.SAME), f1=1, f2=1, f3=3, f4=3))
    most = g.op("MAX_POOL_2D", [pool], new((1, 2, 2, 2), np.int8, 0.4, 0), opts=options(5, f0=t.i8(t.VALID), f1=2, f2=2, f3=2, f4=2))
    joined = g.op("CONCATENATION", [near, large], new((1, 5, 5, 4), np.int8, 0.4, 0), opts=options(10, f0=3))
    mean = g.op("MEAN", [joined, g.constant([1, 2], I32)], new((1, 4), np.int8, 0.4, 0))
    dense = g.op("FULLY_CONNECTED", [mean, g.constant(np.ones((3, 4), np.int8), scale=0.1), g.constant([1, 2, 3], I32)],
                 new((1, 3), np.int8, 0.2, 0))
    soft = g.op("SOFTMAX", [dense], new((1, 3), np.int8, 1 / 256, -128), opts=options(9, f0=1.0))
    acts = [g.op(name, [dense], new((1, 3), np.int8, 0.01, 0), opts=opts)
            for name, opts in (("LOGISTIC", None), ("TANH", None), ("HARD_SWISH", None), ("LEAKY_RELU", options(75, f0=0.3)), ("RELU6", None))]
    pre = g.op("PRELU", [dense, g.constant(np.ones(3, np.int8), scale=0.1)], new((1, 3), np.int8, 0.2, 0))
    total = g.op("ADD", [dense, acts[0]], new((1, 3), np.int8, 0.2, 0), opts=options(11, f0=t.i8(1)))
    return m.write(soft, *acts, pre, total, most)


def movements():
    m = Model()
    g = m.main
    x = g.input((-1, 4, 6))
    out = [
        g.op("TRANSPOSE", [x, g.constant([2, 0, 1], I32)], new((6, -1, 4))),
        g.op("PAD", [x, g.constant([[0, 0], [1, 2], [0, 3]], I32)], new((-1, 7, 9))),
        g.op("TILE", [x, g.constant([1, 2, 1], I32)], new((-1, 8, 6))),
        g.op("SLICE", [x, g.constant([0, 1, 2], I32), g.constant([-1, 2, 3], I32)], new((-1, 2, 3))),
        g.op("REVERSE_V2", [x, g.constant([1], I32)], new((-1, 4, 6))),
        g.op("GATHER", [x, g.constant([3, 0], I32)], new((-1, 2, 6)), opts=options(23, f0=1)),
        g.op("STRIDED_SLICE", [x, g.constant([0, 1, 5], I32), g.constant([0, 3, 0], I32), g.constant([1, 1, -2], I32)],
             new((-1, 2, 3)), opts=options(32, f0=1, f1=1)),
        g.op("SQUEEZE", [g.op("RESHAPE", [x, g.constant([-1, 1, 24], I32)], new((-1, 1, 24)))], new((-1, 24)),
             opts=options(30, f0=np.array([1], I32))),
        g.op("SUM", [x, g.constant([1], I32)], new((-1, 1, 6)), opts=options(27, f0=True)),
        g.op("ARG_MAX", [x, g.constant(2, I32)], new((-1, 4), I32), opts=options(40, f0=t.i8(2))),
        g.op("CUMSUM", [x, g.constant(1, I32)], new((-1, 4, 6)), opts=options(102, f0=True)),
        *g.op("SPLIT", [g.constant(2, I32), x], new((-1, 4, 3)), new((-1, 4, 3)), opts=options(35, f0=2)),
        *g.op("UNPACK", [x], *(new((-1, 6)) for _ in range(4)), opts=options(64, f0=4, f1=1)),
        *g.op("TOPK_V2", [x, g.constant(2, I32)], new((-1, 4, 2)), new((-1, 4, 2), I32)),
    ]
    c = g.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    out += [
        g.op("MIRROR_PAD", [c, g.constant([[1, 1], [0, 2]], I32)], new((5, 6)), opts=options(77, f0=t.i8(0))),
        g.op("GATHER_ND", [c, g.constant([[1, 2], [0, 3]], I32)], new((2,))),
        g.op("SCATTER_ND", [g.constant([[1], [4], [0]], I32), c, g.constant([5, 4], I32)], new((5, 4))),
        g.op("BATCH_MATMUL", [c, c], new((3, 3)), opts=options(101, f1=True)),
        g.op("CAST", [c], new((3, 4), np.uint8)),
        g.op("SELECT", [g.op("LESS", [c, c], new((3, 4), np.bool_)), c, c], new((3, 4))),
        g.op("CONV_3D", [g.constant(np.ones((1, 3, 3, 3, 2), np.float32)), g.constant(np.ones((2, 2, 2, 2, 1), np.float32))],
             new((1, 2, 2, 2, 1)), opts=options(106, f0=t.i8(t.VALID), f1=1, f2=1, f3=1)),
    ]
    return m.write(*out)


def loops():
    m = Model()
    condition, body, once, other = (m.graph() for _ in range(4))
    for g in (condition, body):
        g.i, g.v = g.input((), I32), g.input((1, 4))
    condition.outputs = [condition.op("LESS", [condition.i, condition.constant(5, I32)], new((), np.bool_))]
    body.outputs = [body.op("ADD", [body.i, body.constant(1, I32)], new((), I32)), body.op("ADD", [body.v, body.v], new((1, 4)))]
    other.outputs = [other.op("RELU", [other.input((1, 4))], new((1, 4)))]
    for g in (once, m.main):
        g.handle = g.op("VAR_HANDLE", [], new((), t.RESOURCE), opts=options(111, f1="sum"))
    once.op("ASSIGN_VARIABLE", [once.handle, once.constant(np.full((1, 4), 0.5, np.float32))])
    g = m.main
    g.op("CALL_ONCE", [], opts=options(103, f0=3))
    x, flag = g.input((1, 4)), g.input((), np.bool_)
    total = g.op("ADD", [g.op("READ_VARIABLE", [g.handle], new((1, 4))), x], new((1, 4)))
    g.op("ASSIGN_VARIABLE", [g.handle, total])
    looped = g.op("WHILE", [g.constant(0, I32), total], new((), I32), new((1, 4)), opts=options(93, f0=1, f1=2))[1]
    return m.write(g.op("IF", [flag, looped], new((1, 4)), opts=options(92, f0=4, f1=4)))


MODELS = [images(), movements(), loops()]
WORDS = [0, 1, 2, 3, 4, 5, 7, 8, 16, 127, 128, 255, 1 << 16, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 32) - 2]


def mutate(seed):
    r = random.Random(seed)
    data = bytearray(MODELS[seed % len(MODELS)])
    for _ in range(r.choice((1, 1, 1, 2, 4))):
        at = r.randrange(8, len(data) - 8)
        kind = r.randrange(6)
        if kind == 0:
            data[at] ^= 1 << r.randrange(8)
        elif kind == 1:
            data[at] = r.choice((0, 1, 2, 3, 9, 13, 17, 255, r.randrange(256)))
        elif kind <= 3:
            at &= ~3
            data[at:at + 4] = struct.pack("<I", r.choice(WORDS))
        elif kind == 4:
            at &= ~3
            word = struct.unpack_from("<I", data, at)[0]
            data[at:at + 4] = struct.pack("<I", (word + r.choice((-8, -4, -2, -1, 1, 2, 4, 8))) & 0xffffffff)
        else:
            other = r.randrange(8, len(data) - 8) & ~3
            data[at & ~3:(at & ~3) + 4] = data[other:other + 4]
    if r.random() < 0.05:
        del data[r.randrange(4, len(data)):]
    return bytes(data)


def main():
    from package import qcc
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    compiled = 0
    for model in MODELS:
        qcc.compile(model)
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        print(seed, flush=True)
        model, start = mutate(seed), time.monotonic()
        try:
            qcc.compile(model, on_diagnostic=lambda diagnostic: None)
            compiled += 1
        except qcc.Error as error:
            assert "crash" not in str(error) and "bug of qcc" not in str(error), f"{error}"
        assert time.monotonic() - start < LIMIT, f"{time.monotonic() - start} s"
    print(f"{compiled} compiled")


if __name__ == "__main__":
    main()
