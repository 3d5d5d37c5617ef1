"""Prints the files below a folder, sorted."""

import pathlib
import sys

root = pathlib.Path(sys.argv[1])
for path in sorted(root.rglob("*")):
    if path.is_file():
        print(path.relative_to(root))
