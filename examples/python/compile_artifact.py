# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles ahead of time: writes a file with code for old and new processors.

Usage: compile_artifact.py PROGRAM OUTPUT.so
"""

import sys

import qcc


def main() -> None:
    program, output = sys.argv[1:]
    module = qcc.compile(program, target=["x86-64-v3", "cascadelake"])
    module.save(output)
    print(", ".join(variant.target for variant in module.variants))


if __name__ == "__main__":
    main()
