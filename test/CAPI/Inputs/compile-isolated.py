"""Compiles and runs a program, by the libraries that QCC_LIBRARY_PATH names, in a process of its own."""

import numpy as np
import qcc

PROGRAM = """
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
"""

print(qcc.compile(PROGRAM, isolated=True).function()(np.array([1, 2, 3], np.float32)))
