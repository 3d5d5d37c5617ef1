# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares engines with themselves and with float64: python -m qcc verify model.onnx --against=onnxruntime,openvino.

docs/HowTo/Reproducible.md says how to use it. The parts, each of which knows only those before it:

* `_float64`: an ONNX model in float64;
* `_rows`: inputs, and the rows of a batch of them;
* `_engines`: qcc, ONNX Runtime and OpenVINO, with the settings that each is run with;
* `_agreement`: which settings change the bits of results, and how far results are from float64;
* `_report`: the table and the JSON; `_command`: the command line.
"""
