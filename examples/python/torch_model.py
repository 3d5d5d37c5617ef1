# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of PyTorch.

Usage: torch_model.py
"""

import torch

import qcc.torch


def main() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).eval()
    x = torch.randn(3, 16)

    with torch.no_grad():
        # By torch.compile, which captures the program when it is called.
        compiled = torch.compile(model, backend="qcc")
        torch.testing.assert_close(compiled(x), model(x))

        # By torch.export, for any program that can be exported.
        function = qcc.torch.compile(torch.export.export(model, (x,)))
        torch.testing.assert_close(function(x), model(x))


if __name__ == "__main__":
    main()
