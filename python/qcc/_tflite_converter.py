# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts a model of TensorFlow Lite to TOSA: a program that `qcc.tflite` runs in a process of its own.

    python _tflite_converter.py MODEL PROGRAM SHAPES

Arm's converter ends its process on some models, such as those with sparse weights. SHAPES are sizes of inputs in JSON.
"""

import io
import json
import sys

# This folder has modules that are called as the frameworks are.
sys.path = [path for path in sys.path if path != sys.path[0]]

import tosa_converter_for_tflite as converter  # noqa: E402


def main(model: str, program: str, shapes: str) -> None:
    sink, form = io.BytesIO(), converter.TosaConverterOutputFormat.Text
    places, sizes = converter.TosaConverterDebugInfo.Enable, json.loads(shapes)
    try:
        if sizes:
            converter._tflite_flatbuffer_to_tosa_mlir(model, sink, form, places, sizes)
        else:
            converter.tflite_flatbuffer_to_tosa_mlir(model, sink, form, places)
    except (RuntimeError, ValueError) as error:
        sys.exit(str(error))
    with open(program, "wb") as file:
        file.write(sink.getvalue())


if __name__ == "__main__":
    main(*sys.argv[1:])
