"""The layer as a kernel of Triton, whose autotuner chooses among usual tiles."""

import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"M": m, "N": n, "K": k}, num_warps=warps, num_stages=stages)
    for m, n, k, warps, stages in [
        (128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 128, 8, 3), (64, 128, 64, 4, 4), (128, 64, 64, 4, 4),
        (64, 64, 128, 4, 4), (32, 64, 128, 4, 4), (16, 64, 128, 4, 4), (16, 128, 128, 4, 4)]
]


@triton.autotune(configs=CONFIGS, key=["m", "n", "k"])
@triton.jit
def linear(x, w, bias, scale, y, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = (tl.program_id(0) * M + tl.arange(0, M)) % m
    columns = (tl.program_id(1) * N + tl.arange(0, N)) % n
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.int32)
    for start in range(0, k, K):
        inside = depth < k - start
        a = tl.load(x + rows[:, None] * k + start + depth[None, :], mask=inside[None, :], other=0)
        b = tl.load(w + columns[None, :] * k + start + depth[:, None], mask=inside[:, None], other=0)
        total += tl.dot(a, b, out_dtype=tl.int32)
    value = (total + tl.load(bias + columns)[None, :]).to(tl.float32) * tl.load(scale + columns)[None, :]
    value = tl.minimum(tl.extra.cuda.libdevice.rint(tl.maximum(value, 0.0)), 127.0)
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    tl.store(y + rows[:, None] * n + columns[None, :], value.to(tl.int8),
             mask=(rows[:, None] < m) & (columns[None, :] < n))
