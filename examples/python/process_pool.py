# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments by name, and a function in the processes of a pool.

Usage: process_pool.py
"""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import qcc

# y = image - bias, for any number of rows. The locations give the arguments names, as an ONNX model does.
SUBTRACT = """
func.func @subtract(%x: tensor<?x3xf32> loc("image"), %b: tensor<?x3xf32> loc("bias")) -> tensor<?x3xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : tensor<?x3xf32>
  %e = tensor.empty(%rows) : tensor<?x3xf32>
  %y = linalg.sub ins(%x, %b : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""


def main() -> None:
    function = qcc.compile(SUBTRACT).function(threads=1)
    image, bias = np.ones((2, 3), np.float32), np.full((2, 3), 2, np.float32)
    y = function(image, bias=bias)
    print(y)

    # A wrong name is an error that lists the right ones.
    try:
        function(image, bais=bias)
    except qcc.InvalidArgumentError as error:
        print("refused:", error)

    # Each process gets the function as the bytes of its artifact.
    batches = [image * i for i in range(4)]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        results = list(pool.map(function, batches, [bias] * 4, timeout=60))
    print(sum(result.sum() for result in results))


if __name__ == "__main__":
    main()
