"""Gives each operation on tensors of a program a name, that of its line: name_layers.py IN OUT."""

import re
import sys

WHOLE = re.compile(r"  %\w+ = (qnn|linalg|arith|math)\.(?!constant).*tensor<.*>$")
END = re.compile(r"  (} |  : tensor<.*)-> tensor<.*>$")

with open(sys.argv[1]) as file:
    lines = file.read().split("\n")
for number, line in enumerate(lines):
    if WHOLE.match(line) or END.match(line):
        lines[number] = f'{line} loc("L{number + 1}")'
with open(sys.argv[2], "w") as file:
    file.write("\n".join(lines))
