"""Kernels in Numba, with arguments and results; cases() makes them."""

import math

import numpy as np
from numba import cuda, float32, int32, types


def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def reduce_block(x, out):
    shared = cuda.shared.array(128, float32)
    thread, i = cuda.threadIdx.x, cuda.grid(1)
    shared[thread] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if thread < step:
            shared[thread] += shared[thread + step]
        cuda.syncthreads()
        step //= 2
    if thread == 0:
        out[cuda.blockIdx.x] = shared[0]


def reduce_warp(x, out):
    thread = cuda.threadIdx.x
    value = x[thread]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xffffffff, value, step)
    if thread % 32 == 0:
        out[thread // 32] = value


def scan(x, out):
    shared = cuda.shared.array(256, int32)
    thread, step = cuda.threadIdx.x, 1
    shared[thread] = x[thread]
    cuda.syncthreads()
    while step < 256:
        value = shared[thread - step] if thread >= step else 0
        cuda.syncthreads()
        shared[thread] += value
        cuda.syncthreads()
        step *= 2
    out[thread] = shared[thread]


def histogram(x, out):
    shared = cuda.shared.array(64, int32)
    thread, i = cuda.threadIdx.x, cuda.grid(1)
    if thread < 64:
        shared[thread] = 0
    cuda.syncthreads()
    while i < x.size:
        cuda.atomic.add(shared, x[i], 1)
        i += cuda.gridsize(1)
    cuda.syncthreads()
    if thread < 64:
        cuda.atomic.add(out, thread, shared[thread])


def extremes(x, least, greatest):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.min(least, 0, x[i])
        cuda.atomic.max(greatest, 0, x[i])


def multiply(a, b, c):
    tile_a, tile_b = cuda.shared.array((16, 16), float32), cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], 16):
        tile_a[j, i] = a[y, k + i] if y < a.shape[0] and k + i < a.shape[1] else 0
        tile_b[j, i] = b[k + j, x] if x < b.shape[1] and k + j < b.shape[0] else 0
        cuda.syncthreads()
        for step in range(16):
            total += tile_a[j, step] * tile_b[step, i]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


def last_block(x, partial, count, out):
    is_last = cuda.shared.array(1, int32)
    block = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        total = 0
        for i in range(32):
            total += x[32 * block + i]
        partial[block] = total
        cuda.threadfence()
        is_last[0] = cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if is_last[0] and cuda.threadIdx.x == 0:
        cuda.threadfence()
        total = 0
        for i in range(cuda.gridDim.x):
            total += partial[i]
        out[0] = total


def lock(flag, x):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(flag, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        x[0] = x[0] + 3
        cuda.threadfence()
        cuda.atomic.exch(flag, 0, 0)


def functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.sin(x[i]) + math.exp(x[i]) + math.sqrt(abs(x[i])) + math.erf(x[i]) + math.atan2(x[i], 2.0)


def sort_locally(x, out):
    i = cuda.grid(1)
    local = cuda.local.array(16, int32)
    for j in range(16):
        local[j] = x[(i + j) % x.size]
    for j in range(15):
        for k in range(15 - j):
            if local[k] > local[k + 1]:
                local[k], local[k + 1] = local[k + 1], local[k]
    out[i] = local[7]


def cases():
    """(function, grid, block, arrays, results by their argument)"""
    random = np.random.default_rng(1)
    x = random.integers(-50, 50, 1000).astype(np.float32)
    i = random.integers(-1000, 1000, 256).astype(np.int32)
    small = random.integers(0, 64, 1000).astype(np.int32)
    d = random.standard_normal(300)
    a, b = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((40, 50), (50, 36)))
    zeros = lambda count, kind=np.int32: np.zeros(count, kind)
    value = [math.sin(v) + math.exp(v) + math.sqrt(abs(v)) + math.erf(v) + math.atan2(v, 2.0) for v in d]
    return [
        (add, (8,), (128,), [x, x, 0 * x], {2: 2 * x}),
        (reduce_block, (8,), (128,), [x, zeros(8, np.float32)], {1: np.pad(x, (0, 24)).reshape(8, 128).sum(1)}),
        (reduce_warp, (1,), (64,), [i, zeros(2)], {1: i[:64].reshape(2, 32).sum(1)}),
        (scan, (1,), (256,), [i, 0 * i], {1: np.cumsum(i)}),
        (histogram, (2,), (128,), [small, zeros(64)], {1: np.bincount(small, minlength=64)}),
        (extremes, (8,), (128,), [x, zeros(1, np.float32), zeros(1, np.float32)], {1: x.min(), 2: x.max()}),
        (extremes, (3,), (128,), [d, zeros(1, np.float64), zeros(1, np.float64)], {1: d.min(), 2: d.max()}),
        (multiply, (3, 3), (16, 16), [a, b, np.zeros((40, 36), np.float32)], {2: a @ b}),
        (last_block, (8,), (32,), [i, zeros(8), zeros(1), zeros(1)], {3: i.sum()}),
        (lock, (9,), (32,), [zeros(1), zeros(1)], {1: 27}),
        (functions, (3,), (128,), [d, 0 * d], {1: value}),
        (sort_locally, (2,), (128,), [i, 0 * i], {1: [sorted(np.roll(i, -j)[:16])[7] for j in range(256)]}),
    ]


def compile(function, arrays, chip):
    """PTX, and the parameters that each array becomes: it is the fifth of its own."""
    kinds = [types.Array(getattr(types, str(array.dtype)), array.ndim, "C") for array in arrays]
    ptx, _ = cuda.compile_ptx(function, types.void(*kinds), cc=divmod(chip, 10))
    return ptx, [[0, 0, array.size, array.itemsize, array, *array.shape, *array.strides] for array in arrays]
