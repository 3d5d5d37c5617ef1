# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A quantized layer on arrays of numpy.

Usage: numpy_arrays.py
"""

import numpy as np

import qcc

# y = x * w^T + b, in int8 with sums in int32, y in float. The number of rows is dynamic.
LAYER = """
!x = !quant.uniform<i8:f32, 5.000000e-01>
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


def main() -> None:
    function = qcc.compile(LAYER).function()
    print(function)

    # Three rows. The array is read where it is, and the result is a new array.
    x = np.array([[1, 1, 1, 1], [2, 0, 0, 0], [0, 0, 0, -2]], np.int8)
    y = function(x)
    print(y)

    # The same call into memory of the caller, such as a buffer that is used again and again.
    out = np.empty((3, 2), np.float32)
    function(x, out=out)
    assert (out == y).all()

    # What is not what the function takes is refused, and never copied or converted silently.
    try:
        function(x.astype(np.float32))
    except qcc.InvalidArgumentError as error:
        print("refused:", error)

    # What is wrong with a program comes with its place.
    try:
        qcc.compile(LAYER.replace("i8:f32", "i8:f33"), name="layer.mlir")
    except qcc.InvalidProgramError as error:
        for diagnostic in error.diagnostics:
            print(f"line {diagnostic.line} of {diagnostic.file}: {diagnostic.message}")

    print(function.profile(x))


if __name__ == "__main__":
    main()
