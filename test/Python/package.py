"""The Python package, from the checkout, with the libraries of the build; and programs to call."""

import os
import sys

import numpy as np
import pytest

import program

if program.sanitizer():
    pytest.skip(f"a Python without {program.sanitizer()} sanitizer cannot load the libraries", allow_module_level=True)
os.environ.setdefault("QCC_LIBRARY_PATH", str(program.build_dir().resolve() / "lib"))
sys.path.insert(0, str(program.ROOT / "python"))
import qcc  # noqa: E402

__all__ = ["DOUBLE", "DOUBLE_ROWS", "LINEAR", "TYPES", "identity_of", "linear_of", "qcc"]

DOUBLE = """
func.func @double(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.add ins(%x, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
"""

#: The same for any number of rows.
DOUBLE_ROWS = """
func.func @double_rows(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %zero = arith.constant 0 : index
  %m = tensor.dim %x, %zero : tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x3xf32>
  %y = linalg.add ins(%x, %x : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""

#: A quantized layer: y = x * w^T + b.
LINEAR = """
!x = !quant.uniform<i8:f32, 5.000000e-01:3>
!w = !quant.uniform<i8:f32, 2.500000e-01>
func.func @layer(%x: tensor<?x4x!x>) -> tensor<?x2xf32> {
  %stored = arith.constant dense<[[1, -2, 3, -4], [5, 6, 7, 8]]> : tensor<2x4xi8>
  %w = quant.scast %stored : tensor<2x4xi8> to tensor<2x4x!w>
  %b = arith.constant dense<[0.5, -0.5]> : tensor<2xf32>
  %y = qnn.linear %x, %w bias(%b : tensor<2xf32>)
      : tensor<?x4x!x>, tensor<2x4x!w> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""


def linear_of(x):
    """LINEAR in numpy."""
    w = np.array([[1, -2, 3, -4], [5, 6, 7, 8]], np.float32) * 0.25
    return ((x.astype(np.float32) - 3) * 0.5) @ w.T + np.array([0.5, -0.5], np.float32)


#: Element types by their names in programs.
TYPES = {"i8": "int8", "ui8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16",
         "f32": "float32", "f64": "float64", "i1": "bool"}


def identity_of(name):
    """A program that gives back a tensor and a number of this type."""
    return f"""
func.func @identity(%x: tensor<3x{name}>, %s: {name}) -> (tensor<3x{name}>, tensor<{name}>) {{
  %e = tensor.empty() : tensor<{name}>
  %f = linalg.fill ins(%s : {name}) outs(%e : tensor<{name}>) -> tensor<{name}>
  return %x, %f : tensor<3x{name}>, tensor<{name}>
}}
"""
