"""Kernels in Triton, with arguments and results; cases(chip) makes those of a chip."""

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def dot(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SUM: tl.constexpr):
    rows, columns = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    sums = tl.zeros((M, N), SUM)
    for start in range(0, k, K):
        depth = start + tl.arange(0, K)
        x = tl.load(a + rows[:, None] * k + depth[None, :], mask=(rows[:, None] < m) & (depth[None, :] < k))
        y = tl.load(b + columns[None, :] * k + depth[:, None], mask=(columns[None, :] < n) & (depth[:, None] < k))
        sums = tl.dot(x, y, sums, out_dtype=SUM)
    tl.store(c + rows[:, None] * n + columns[None, :], sums, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def softmax(x, out, columns, N: tl.constexpr):
    i = tl.program_id(0) * columns + tl.arange(0, N)
    mask = tl.arange(0, N) < columns
    value = tl.load(x + i, mask=mask, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(out + i, power / tl.sum(power, 0), mask=mask)


@triton.jit
def attention(q, k, v, out, length, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows, depth = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + depth[None, :])
    most, total, sums = tl.full((M,), -1e30, tl.float32), tl.zeros((M,), tl.float32), tl.zeros((M, D), tl.float32)
    for start in range(0, length, N):
        others = start + tl.arange(0, N)
        scores = tl.dot(query, tl.trans(tl.load(k + others[:, None] * D + depth[None, :])))
        scores = tl.where(others[None, :] <= rows[:, None], scores, -1e30)
        new = tl.maximum(most, tl.max(scores, 1))
        weights, scale = tl.exp(scores - new[:, None]), tl.exp(most - new)
        values = tl.load(v + others[:, None] * D + depth[None, :])
        total = total * scale + tl.sum(weights, 1)
        sums = sums * scale[:, None] + tl.dot(weights.to(tl.float16), values)
        most = new
    tl.store(out + rows[:, None] * D + depth[None, :], sums / total[:, None])


@triton.jit
def rows_of(x, sorted, scanned, greatest, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, R)[:, None] * N + tl.arange(0, N)[None, :]
    value = tl.load(x + i)
    tl.store(sorted + i, tl.sort(value, 1))
    tl.store(scanned + i, tl.cumsum(value, 1))
    tl.store(greatest + tl.arange(0, R), tl.argmax(value, 1))


@triton.jit
def histogram(x, out, n, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    counts = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


@triton.jit
def add_atomically(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(out + i % 16, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def through(x, out, N: tl.constexpr, TYPE: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(TYPE).to(tl.float32))


def bf16(values):
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def cases(chip):
    """(name, function, signature, constants, grid, arguments, results by their argument)"""
    random = np.random.default_rng(0)
    small = lambda *shape: random.integers(-8, 9, shape) / 8
    made = []

    def add(name, function, types, constants, grid, arguments, results):
        names = function.arg_names
        signature = dict(zip(names, types + ["constexpr"] * (len(names) - len(types))))
        made.append((name, function, signature, constants, grid, arguments, results))

    def add_dot(kind, total, values, encode, result):
        m, n, k = 80, 72, 96
        a, b = values(m, k), values(n, k)
        sums = {"fp32": tl.float32, "i32": tl.int32, "fp64": tl.float64}[total]
        add("dot of " + kind, dot, ["*" + kind] * 2 + ["*" + total] + ["i32"] * 3,
            {"M": 64, "N": 64, "K": 32, "SUM": sums}, (2, 2),
            [encode(a), encode(b), np.zeros((m, n), result), m, n, k], {2: a.astype(np.float64) @ b.T.astype(np.float64)})

    def pattern(one):
        """Floats of 8 bits: 0, 1 and -1."""
        return lambda values: np.where(values == 0, 0, np.where(values > 0, one, one | 0x80)).astype(np.uint8)

    bytes_ = lambda *shape: random.integers(-128, 128, shape)
    add_dot("i8", "i32", bytes_, lambda x: x.astype(np.int8), np.int32)
    add_dot("fp16", "fp32", small, lambda x: x.astype(np.float16), np.float32)
    add_dot("bf16", "fp32", small, bf16, np.float32)
    add_dot("fp32", "fp32", small, lambda x: x.astype(np.float32), np.float32)
    if chip >= 89:
        signs = lambda *shape: random.integers(-1, 2, shape)
        add_dot("fp8e4nv", "fp32", signs, pattern(0x38), np.float32)
        add_dot("fp8e5", "fp32", signs, pattern(0x3c), np.float32)
    q, k, v = (small(128, 64).astype(np.float16) for _ in range(3))
    scores = np.where(np.tril(np.ones((128, 128))) > 0, q.astype(float) @ k.T.astype(float), -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    add("attention", attention, ["*fp16"] * 3 + ["*fp32", "i32"], {"D": 64, "M": 64, "N": 32}, (2,),
        [q, k, v, np.zeros((128, 64), np.float32), 128], {3: weights / weights.sum(1, keepdims=True) @ v.astype(float)})
    add_dot("fp64", "fp64", small, lambda x: x, np.float64)
    x = small(3, 200).astype(np.float32)
    power = np.exp(x.astype(float))
    add("softmax", softmax, ["*fp32"] * 2 + ["i32"], {"N": 256}, (3,), [x, np.zeros_like(x), 200],
        {1: power / power.sum(1, keepdims=True)})
    x = random.permutation(2048).reshape(8, 256).astype(np.int32)
    add("rows", rows_of, ["*i32"] * 4, {"R": 8, "N": 256}, (1,), [x, 0 * x, 0 * x, np.zeros(8, np.int32)],
        {1: np.sort(x, 1), 2: np.cumsum(x, 1), 3: x.argmax(1)})
    x = random.integers(0, 64, 1500).astype(np.int32)
    add("histogram", histogram, ["*i32"] * 2 + ["i32"], {"N": 512, "BINS": 64}, (3,),
        [x, np.zeros(64, np.int32), 1500], {1: np.bincount(x, minlength=64)})
    x = random.integers(-2, 3, 1000)
    sums = np.array([x[i::16].sum() for i in range(16)])
    for kind, encode in (("fp16", np.float16), ("bf16", bf16), ("fp32", np.float32)):
        add("atomics of " + kind, add_atomically, [f"*{kind}"] * 2 + ["i32"], {"N": 256}, (4,),
            [np.asarray(encode(x)), np.asarray(encode(np.zeros(16))), 1000], {1: np.asarray(encode(sums))})
    x = (2.0 ** random.integers(-3, 4, 256)).astype(np.float32)
    for kind in ["float8e5"] + ["float8e4nv"] * (chip >= 89):
        add(kind, through, ["*fp32"] * 2, {"N": 256, "TYPE": getattr(tl, kind)}, (1,), [x, 0 * x], {1: x})
    return made


def compile(function, signature, constants, chip, warps):
    """PTX, the number of threads and the bytes of dynamic shared memory."""
    kernel = triton.compile(ASTSource(fn=function, signature=signature, constexprs=constants),
                            target=GPUTarget("cuda", chip, 32), options={"num_warps": warps, "num_stages": 3})
    return kernel.asm["ptx"], 32 * kernel.metadata.num_warps, kernel.metadata.shared
