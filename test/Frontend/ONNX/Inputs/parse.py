"""Writes the ONNX model of a text: parse.py MODEL.txt MODEL.onnx

Lines that begin with // are left out.
"""

import pathlib
import sys

import onnx.parser

source, target = map(pathlib.Path, sys.argv[1:])
lines = [line for line in source.read_text().splitlines() if not line.startswith("//")]
target.write_bytes(onnx.parser.parse_model("\n".join(lines)).SerializeToString())
