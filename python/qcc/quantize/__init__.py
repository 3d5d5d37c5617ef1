# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes ONNX models to int8: python -m qcc quantize model.onnx --data=calib.npz -o q.onnx.

docs/HowTo/Quantize.md says how to use it. The parts, each of which knows only those before it:

* `_data`: calibration data, one sample at a time;
* `_graph`: graphs of ONNX, and what is done to a float model first;
* `_placement`: which values a quantized graph rounds, and how a layer goes back to float32;
* `_prices`: what the cost model of qcc expects, and which rounding pays by it;
* `_engines`: NNCF and ONNX Runtime's quantizer, with the options that suit qcc;
* `_measure`: distances and times of two models;
* `_search`: which layers go back to float32 so that a model keeps its accuracy;
* `_report`, `_page`: what is told; `_command`: the command line.
"""
