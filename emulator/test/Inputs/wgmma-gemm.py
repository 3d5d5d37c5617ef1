"""Inputs of wgmma-gemm.ptx in the current folder, and the check of its output: `make` or `check`."""

import sys

import numpy as np

ROWS, COLUMNS, DEPTH = 256, 512, 384


def make():
    rng = np.random.default_rng(0)
    np.save("a.npy", rng.integers(-128, 128, (ROWS, DEPTH), dtype=np.int8))
    np.save("b.npy", rng.integers(-128, 128, (COLUMNS, DEPTH), dtype=np.int8))
    np.save("scale.npy", rng.uniform(0.0001, 0.0003, COLUMNS).astype(np.float32))
    np.save("bias.npy", rng.uniform(-20, 20, COLUMNS).astype(np.float32))


def check():
    a, b, scale, bias = (np.load(f"{name}.npy") for name in ("a", "b", "scale", "bias"))
    sums = a.astype(np.int32) @ b.astype(np.int32).T
    # fma rounds once.
    values = (sums.astype(np.float64) * scale.astype(np.float64) + bias).astype(np.float32)
    expected = np.clip(np.rint(np.maximum(values, 0)), -128, 127).astype(np.int8)
    assert expected.any() and (np.load("y.npy") == expected).all()


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]]()
