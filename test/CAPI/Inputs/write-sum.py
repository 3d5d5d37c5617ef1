"""Writes an ONNX model that adds a bias: write-sum.py FILE."""

import sys

import onnx.parser

MODEL = """
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[n, m] x, float[m] bias) => (float[n, m] y) { y = Add(x, bias) }"""

onnx.save(onnx.parser.parse_model(MODEL), sys.argv[1])
