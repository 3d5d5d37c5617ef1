# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of TensorFlow Lite, which Arm's converter writes as TOSA.

    import qcc.tflite

    model = qcc.tflite.compile("model.tflite")
    y = model(x)

It needs the package tosa-converter-for-tflite.
"""

from __future__ import annotations

import io
import json
import os
import pathlib
import re
import tempfile
from typing import Any, List, Mapping, Optional, Sequence, Union

import numpy as np
import tosa_converter_for_tflite as converter

from ._compile import compile as _compile
from ._function import Function
from .errors import InvalidArgumentError, UnsupportedError

__all__ = ["Model", "compile", "to_tosa"]

#: The initial value of a variable in the converter's text.
_VARIABLE = re.compile(r"^ *tosa\.variable @\S+ = dense<(.*)> : tensor<", re.MULTILINE)


#: The ops of a quantization in the converter's text: constants of one value, and what computes with them.
_SPLAT = re.compile(r'^ *(%\w+) = "tosa\.const"\(\) <\{values = dense<(-?\d+)> : tensor<[1x]*i32>\}>', re.MULTILINE)
_OP = re.compile(r"^( *)(%\w+) = tosa\.(mul|cast|add) (%\w+)(?:, (%\w+))?.* : "
                 r"\((tensor<\S+?>).*\) -> (tensor<\S+>) (loc\(\S+\))$")


def _element(tensor: str) -> str:
    return tensor[:-1].split("<")[1].split("x")[-1]


def _saturate(text: str) -> str:
    """Makes the quantization of floats saturate, as TFLite's QUANTIZE does.

    The converter writes it as a product, a cast to i32, the addition of the zero point, and a cast to i8, which wraps. All
    have the location of QUANTIZE, which tells them from casts of the model. A clamp goes between the cast and the addition,
    which then cannot overflow.
    """
    splats = {name: int(value) for name, value in _SPLAT.findall(text)}
    lines = text.split("\n")
    ops = {match.group(2): (index, match) for index, match in enumerate(map(_OP.match, lines)) if match}
    for _, narrow in list(ops.values()):
        if narrow.group(3) != "cast" or (_element(narrow.group(6)), _element(narrow.group(7))) != ("i32", "i8"):
            continue
        place, add = ops.get(narrow.group(4), (0, None))
        if add is None or add.group(3) != "add" or add.group(5) not in splats:
            continue
        _, wide = ops.get(add.group(4), (0, None))
        if wide is None or wide.group(3) != "cast" or _element(wide.group(6)) != "f32":
            continue
        _, product = ops.get(wide.group(4), (0, None))
        if product is None or product.group(3) != "mul" or {op.group(8) for op in (product, wide, add)} != {narrow.group(8)}:
            continue
        if " = tosa.clamp " in lines[place]:
            continue  # Two casts read one sum.
        indent, name, tensor, location = wide.group(1), wide.group(2), wide.group(7), wide.group(8)
        zero_point, saturated = splats[add.group(5)], f"%saturated_{place}"
        lines[place] = (f"{indent}{saturated} = tosa.clamp {name} {{min_val = {-128 - zero_point} : i32, "
                        f"max_val = {127 - zero_point} : i32}} : ({tensor}) -> {tensor} {location}\n"
                        + lines[place].replace(f" {name}, ", f" {saturated}, ", 1))
    return "\n".join(lines)


def to_tosa(source: "str | os.PathLike[str] | bytes", shapes: Optional[Mapping[str, Sequence[int]]] = None) -> str:
    """A model as a program of TOSA, in text: what the converter writes, but quantization of floats saturates.

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
    return _saturate(sink.getvalue().decode())


def _initial_value(text: str, shape: Any, dtype: Any) -> "np.ndarray[Any, Any]":
    """The elements of `dense<...>`: one for all, a list, or bytes in hexadecimal."""
    if text.startswith('"0x'):
        return np.frombuffer(bytes.fromhex(text[3:-1]), dtype).reshape(shape).copy()
    numbers = np.array(json.loads(text.replace("true", "1").replace("false", "0")), np.float64)
    return np.broadcast_to(numbers, shape).astype(dtype)


class Model:
    """A compiled model. A call takes the inputs and gives the outputs; variables keep their values from one call to the next.

    Calls of one object that has variables must not overlap. `function` is the entry: it takes the variables behind the
    inputs, and gives their new values behind the outputs.
    """

    def __init__(self, function: Function, program: str) -> None:
        self.function = function
        #: Of each variable in the order of the entry's arguments: its value before the first call.
        self.initial_state: List["np.ndarray[Any, Any]"] = []
        found = _VARIABLE.findall(program)
        for text, argument in zip(found, function.arguments[len(function.arguments) - len(found):]):
            self.initial_state.append(_initial_value(text, argument.shape, np.dtype(argument.dtype)))
        self.reset()

    def reset(self) -> None:
        """Gives all variables their initial values."""
        self.state = [value.copy() for value in self.initial_state]

    def __call__(self, *inputs: Any) -> Any:
        results = self.function(*inputs, *self.state)
        if not self.state:
            return results
        count = len(results) - len(self.state)
        self.state = list(results[count:])
        return results[0] if count == 1 else results[:count]


def compile(source: "str | os.PathLike[str] | bytes", *, shapes: Optional[Mapping[str, Sequence[int]]] = None,
            target: Union[str, Sequence[str]] = "native", threads: int = 0) -> Model:
    """Compiles a model.

    Args:
        source: the path of a .tflite file, or its bytes.
        shapes: sizes of inputs, by their names in the model; others are those of the model, or dynamic.
        target: the processor, as for `qcc.compile`.
        threads: how many threads a call uses; 0 is one for each core.

    Returns:
        The model, which is called with arrays. Quantized tensors are their stored integers.

    Raises:
        UnsupportedError: the converter does not take the model.
        What `qcc.compile` raises.
    """
    name = "the model" if isinstance(source, (bytes, bytearray)) else os.fspath(source)
    program = to_tosa(source, shapes)
    return Model(_compile(program.encode(), target=target, name=name).function(threads=threads), program)
