# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model in five lines.

Usage: onnx_model.py, in a folder with a file model.onnx whose input is an image of 3 x 8 x 8.
"""

import numpy as np


def main() -> None:
    x = np.zeros((2, 3, 8, 8), np.float32)

    import qcc
    function = qcc.compile("model.onnx").function()
    print(function)
    y = function(x)
    print(y.shape)


if __name__ == "__main__":
    main()
