"""The oracle's own hard parts, against exact rational arithmetic."""

from fractions import Fraction

import numpy as np

import oracle

f32 = np.float32


def nearest_f32(value):
    """The binary32 nearest to an exact rational, half to even."""
    if value == 0:
        return f32(0)
    guess = f32(float(value))
    around = {guess, np.nextafter(guess, f32(np.inf)), np.nextafter(guess, f32(-np.inf))}
    candidates = [c for c in around if np.isfinite(c)]
    return min(
        candidates,
        key=lambda c: (abs(Fraction(float(c)) - value), int(c.view(np.uint32)) & 1),
    )


def test_fma_rounds_once():
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << 32, (3, 4000), dtype=np.uint64).astype(np.uint32)
    # Exponents near each other and near the ends, so that sums cancel, tie and denormalize.
    bits = (bits & 0x807FFFFF) | (rng.integers(110, 140, bits.shape).astype(np.uint32) << 23)
    bits[:, :400] &= 0xFFFFF000
    bits[:2, 400:800] = (bits[:2, 400:800] & 0x807FFFFF) | (60 << 23)
    bits[2, 400:800] &= 0x807FFFFF
    a, b, c = (row.view(f32) for row in bits)
    # Ties of the sum that only the product's low bits decide.
    a[800:1200] = f32(1) + f32(2.0**-12)
    b[800:1200] = (f32(1) + f32(2.0**-12)) * f32(2.0**-24)
    result = oracle.fma(a, b, c)
    for x, y, z, r in zip(a, b, c, result):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert r == nearest_f32(exact), (x, y, z)


def test_fma_special_values():
    inf, nan = f32(np.inf), f32(np.nan)
    assert np.isnan(oracle.fma(inf, f32(0), f32(1)))
    assert oracle.fma(inf, f32(1), f32(1)) == inf
    assert np.isnan(oracle.fma(inf, f32(1), -inf))
    assert np.isnan(oracle.fma(nan, f32(1), f32(1)))


def test_quantize_ends_and_ties():
    x = np.array([np.nan, np.inf, -np.inf, 0.5, 1.5, 2.5, -0.5, 1e30, -1e30], f32)
    q = oracle.quantize(x, 1.0, 3, "i8")
    assert q.tolist() == [3, 127, -128, 3, 5, 5, 3, 127, -128]
    q = oracle.quantize(x, 1.0, 3, "u8", before_rounding=True)
    assert q.tolist() == [3, 255, 0, 4, 4, 6, 2, 255, 0]


def test_minimum_and_maximum_of_zeros():
    zero, minus = f32(0.0), f32(-0.0)
    for a, b in ((zero, minus), (minus, zero)):
        assert np.signbit(oracle.minimumf(a, b))
        assert not np.signbit(oracle.maximumf(a, b))


def test_bf16_rounding():
    bits = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0x00008001, 0x7F7FFFFF], np.uint32)
    expected = [0x3F800000, 0x3F820000, 0x3F810000, 0x00010000, 0x7F800000]
    assert oracle.to_bf16(bits.view(f32)).view(np.uint32).tolist() == expected


def test_reduce_sum_order():
    x = np.random.default_rng(2).uniform(-1, 1, (1, 45)).astype(f32)[0]
    lanes = [f32(-0.0)] * 32
    for i, value in enumerate(x):
        lanes[i % 32] = f32(lanes[i % 32] + value)
    step = 16
    while step:
        for i in range(step):
            lanes[i] = f32(lanes[i] + lanes[i + step])
        step //= 2
    assert oracle.reduce_sum(x[None])[0] == f32(f32(0) + lanes[0])
