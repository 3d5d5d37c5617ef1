# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of TensorFlow Lite, which Arm's converter writes as TOSA.

    import qcc.tflite

    function = qcc.tflite.compile("model.tflite")
    y = function(x)

It needs the package tosa-converter-for-tflite.
"""

from __future__ import annotations

import io
import os
import pathlib
import tempfile
from typing import Mapping, Optional, Sequence, Union

import tosa_converter_for_tflite as converter

from ._compile import compile as _compile
from ._function import Function
from .errors import InvalidArgumentError, UnsupportedError

__all__ = ["compile", "to_tosa"]


def to_tosa(source: "str | os.PathLike[str] | bytes", shapes: Optional[Mapping[str, Sequence[int]]] = None) -> str:
    """A model as a program of TOSA, in text.

    Args:
        source: the path of a .tflite file, or its bytes.
        shapes: sizes of inputs, by their names in the model.

    Raises:
        UnsupportedError: the converter does not take the model; the message is the converter's.
    """
    if isinstance(source, (bytes, bytearray)):
        with tempfile.TemporaryDirectory(prefix="qcc-tflite-") as folder:
            path = pathlib.Path(folder) / "model.tflite"
            path.write_bytes(source)
            return to_tosa(path, shapes)
    if not pathlib.Path(source).is_file():
        raise InvalidArgumentError(f"there is no file '{os.fspath(source)}'")
    sink, form = io.BytesIO(), converter.TosaConverterOutputFormat.Text
    places = converter.TosaConverterDebugInfo.Enable
    try:
        if shapes:
            converter._tflite_flatbuffer_to_tosa_mlir(os.fspath(source), sink, form, places,
                                                      {name: list(shape) for name, shape in shapes.items()})
        else:
            converter.tflite_flatbuffer_to_tosa_mlir(os.fspath(source), sink, form, places)
    except (RuntimeError, ValueError) as error:
        raise UnsupportedError(f"the converter does not take the model: {error}") from None
    return sink.getvalue().decode()


def compile(source: "str | os.PathLike[str] | bytes", *, shapes: Optional[Mapping[str, Sequence[int]]] = None,
            target: Union[str, Sequence[str]] = "native", threads: int = 0) -> Function:
    """Compiles a model.

    Args:
        source: the path of a .tflite file, or its bytes.
        shapes: sizes of inputs, by their names in the model; others are those of the model, or dynamic.
        target: the processor, as for `qcc.compile`.
        threads: how many threads a call uses; 0 is one for each core.

    Returns:
        The function of the model. Quantized tensors are their stored integers.
        A variable of the model is an argument and a result, behind the others: what a call gives is what the next one takes.

    Raises:
        UnsupportedError: the converter does not take the model.
        What `qcc.compile` raises.
    """
    name = "the model" if isinstance(source, (bytes, bytearray)) else os.fspath(source)
    return _compile(to_tosa(source, shapes).encode(), target=target, name=name).function(threads=threads)
