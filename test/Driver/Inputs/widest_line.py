"""The length of the longest line that on_terminal.py printed."""

import ast
import sys

print(max(len(line) for line in ast.literal_eval(sys.stdin.read()).splitlines()))
