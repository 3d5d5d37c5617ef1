"""N3 on real numbers: how far the integer definition may be from the exact value."""

import numpy as np
import pytest

import program

PROGRAM = """
func.func @main(%x: tensor<?x{k}xi8>) -> tensor<?x{n}xf32> {{
  %w = arith.constant dense_resource<w> : tensor<{n}x{k}xi8>
  %b = arith.constant dense_resource<b> : tensor<{n}xf32>
  %ws = arith.constant dense_resource<ws> : tensor<{n}xf32>
  %xs = arith.constant {scale:e} : f32
  %xd = qnn.dequantize %x scale(%xs : f32) : tensor<?x{k}xi8> -> tensor<?x{k}xf32>
  %wd = qnn.dequantize %w scale(%ws : tensor<{n}xf32>) {{axis = 0 : i64}} : tensor<{n}x{k}xi8> -> tensor<{n}x{k}xf32>
  %y = qnn.linear %xd, %wd bias(%b : tensor<{n}xf32>) : tensor<?x{k}xf32>, tensor<{n}x{k}xf32> -> tensor<?x{n}xf32>
  return %y : tensor<?x{n}xf32>
}}
"""


@pytest.mark.parametrize("k", [1, 7, 64, 509, 4096])
def test_distance_from_the_exact_value(tmp_path, k):
    """The accumulator is exact: three roundings of the product and one of the sum remain."""
    random = np.random.default_rng(k)
    m, n, scale = 19, 23, 0.03125 * 1.1
    x = random.integers(-128, 128, (m, k), dtype=np.int8)
    w = random.integers(-128, 128, (n, k), dtype=np.int8)
    ws = random.uniform(0.001, 0.1, n).astype(np.float32)
    b = random.normal(size=n).astype(np.float32)
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM.format(k=k, n=n, scale=scale))
    (y,) = program.run_file(path, tmp_path, [x], 1, {"w": w, "b": b, "ws": ws})

    acc = x.astype(np.int64) @ w.astype(np.int64).T
    product = acc * (np.float64(np.float32(scale)) * ws.astype(np.float64))
    exact = product + b
    unit = 2.0**-24
    bound = (3 * np.abs(product) + np.abs(exact)) * unit * (1 + 1e-6)
    assert np.all(np.abs(y - exact) <= bound)
    # The bound means something: the results are not all exact.
    assert k == 1 or np.any(y != exact)
