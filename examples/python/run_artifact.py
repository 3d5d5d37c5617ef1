# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a file of compile_artifact.py on zeros. Needs qcc-runtime, and no compiler.

Usage: run_artifact.py ARTIFACT.so
"""

import sys

import numpy as np

import qcc


def main() -> None:
    module = qcc.load(sys.argv[1])
    for name in module.functions:
        function = module.function(name)
        # A size that is a name is dynamic: four here.
        arguments = [np.zeros([size if isinstance(size, int) else 4 for size in argument.shape], argument.dtype)
                     for argument in function.arguments]
        results = function(*arguments)
        for result in results if isinstance(results, tuple) else [results]:
            print(f"{name}: {result.dtype} {result.shape}")


if __name__ == "__main__":
    main()
