#!python
# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts @PROGRAM@, a program in the package qcc. Imports little, so that the program starts at once."""

import importlib.util
import os
import sys

# Of an installation by pip install --target, which Python does not know.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
package = importlib.util.find_spec("qcc")
folder = os.path.dirname(package.origin) if package and package.origin else ""
program = os.path.join(folder, "bin", "@PROGRAM@")
# `qcc diff --against`, `qcc quantize` and `qcc verify` run this Python.
os.environ.setdefault("QCC_PYTHON", sys.executable)
try:
    os.execv(program, [sys.argv[0], *sys.argv[1:]])
except OSError as error:
    sys.stderr.write(f"@PROGRAM@: error: '{program}' cannot be started ({error.strerror}); install the package anew: "
                     "pip install --force-reinstall @DISTRIBUTION@\n")
    sys.exit(4)  # cannot be run; the codes are in tools/common/ExitCodes.h
