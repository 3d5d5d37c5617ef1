# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program on tensors of torch, without copies.

Usage: torch_tensors.py
"""

import torch

import qcc

DOUBLE = """
func.func @double(%x: tensor<?x3xbf16>) -> tensor<?x3xbf16> {
  %zero = arith.constant 0 : index
  %m = tensor.dim %x, %zero : tensor<?x3xbf16>
  %e = tensor.empty(%m) : tensor<?x3xbf16>
  %y = linalg.add ins(%x, %x : tensor<?x3xbf16>, tensor<?x3xbf16>) outs(%e : tensor<?x3xbf16>) -> tensor<?x3xbf16>
  return %y : tensor<?x3xbf16>
}
"""


def main() -> None:
    # Tensors of torch are read and written where they are; bf16 is a type that numpy does not have.
    x = torch.ones(4, 3, dtype=torch.bfloat16)
    y = torch.empty_like(x)
    qcc.compile(DOUBLE).function()(x, out=y)
    assert torch.equal(y, 2 * x)

    # New results are arrays of numpy, which torch takes over.
    function = qcc.compile(DOUBLE.replace("bf16", "f32")).function()
    z = torch.from_dlpack(function(torch.ones(4, 3)))
    assert torch.equal(z, torch.full((4, 3), 2.0))

    # A tensor that requires gradients is refused: detach it.
    try:
        function(torch.ones(4, 3, requires_grad=True))
    except qcc.InvalidArgumentError as error:
        print("refused:", error)


if __name__ == "__main__":
    main()
