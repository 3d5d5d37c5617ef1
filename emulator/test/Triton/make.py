"""Makes the PTX files of this folder: kernels that Triton compiles for sm_80. No GPU is needed.

`pip install triton==3.4.0`, then `python make.py` here. Debug sections and temporary labels are cut out afterwards, as
the emulator skips them. The last parameters of each kernel, which Triton adds for scratch memory, take null pointers.
"""

import triton
import triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)

@triton.jit
def softmax(x, out, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < cols
    v = tl.load(x + row * cols + i, mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * cols + i, e / tl.sum(e, 0), mask=m)

@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.int32)
    for start in range(0, k, BK):
        x = tl.load(a + rm[:, None] * k + (start + rk)[None, :], mask=(rm[:, None] < m) & ((start + rk)[None, :] < k), other=0)
        y = tl.load(b + rn[None, :] * k + (start + rk)[:, None], mask=(rn[None, :] < n) & ((start + rk)[:, None] < k), other=0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * n + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))

@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=0)
    tl.atomic_add(out + v, 1, mask=m)

@triton.jit
def layernorm(x, w, out, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < cols
    v = tl.load(x + row * cols + i, mask=m, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / cols
    d = tl.where(m, v - mean, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, 0) / cols + eps)
    tl.store(out + row * cols + i, (d * r * tl.load(w + i, mask=m)).to(tl.float16), mask=m)

def build(fn, signature, constants, warps=4):
    src = ASTSource(fn=fn, signature=signature, constexprs=constants)
    k = triton.compile(src, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps, "num_stages": 3})
    open(f"{fn.__name__}.ptx", "w").write(k.asm["ptx"])
    print(fn.__name__, k.metadata.shared, k.metadata.num_warps)

C = "constexpr"
build(add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": C}, {"BLOCK": 1024})
build(softmax, {"x": "*fp32", "out": "*fp32", "cols": "i32", "BLOCK": C}, {"BLOCK": 256})
build(matmul, {"a": "*i8", "b": "*i8", "c": "*i32", "m": "i32", "n": "i32", "k": "i32", "BM": C, "BN": C, "BK": C}, {"BM": 64, "BN": 64, "BK": 64})
build(histogram, {"x": "*i32", "out": "*i32", "n": "i32", "BLOCK": C}, {"BLOCK": 512})
build(layernorm, {"x": "*fp16", "w": "*fp32", "out": "*fp16", "cols": "i32", "eps": "fp32", "BLOCK": C}, {"BLOCK": 512})
