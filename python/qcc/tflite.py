# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of TensorFlow Lite, which Arm's converter writes as TOSA.

    import qcc.tflite

    model = qcc.tflite.compile("model.tflite")
    y = model(x)

It needs the package tosa-converter-for-tflite.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any, List, Mapping, Optional, Sequence, Union

import numpy as np

from ._compile import compile as _compile
from ._function import Function
from .errors import InvalidArgumentError, UnsupportedError

__all__ = ["Model", "compile", "to_tosa"]

if importlib.util.find_spec("tosa_converter_for_tflite") is None:
    raise ImportError("qcc.tflite needs the package tosa-converter-for-tflite; pip install tosa-converter-for-tflite")

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


#: The ops that the converter makes of FLOOR_MOD of floats, all with its location.
_FLOOR = re.compile(r"^ *(%\w+) = tosa\.floor (%\w+) .* (loc\(\S+\))$", re.MULTILINE)


def _refuse_floor_mod(text: str) -> None:
    """Refuses FLOOR_MOD of floats, of which the converter writes q - floor(q), with q = x / y, instead of x - floor(q) * y."""
    for floor, quotient, place in _FLOOR.findall(text):
        same = re.escape(place) + "$"
        if (re.search(rf"^ *{quotient} = tosa\.mul .* {same}", text, re.MULTILINE)
                and re.search(rf"^ *%\w+ = tosa\.sub {quotient}, {floor} .* {same}", text, re.MULTILINE)):
            raise UnsupportedError("the converter writes FLOOR_MOD of floats wrongly; write x - floor(x / y) * y in the model")


def to_tosa(source: "str | os.PathLike[str] | bytes", shapes: Optional[Mapping[str, Sequence[int]]] = None) -> str:
    """A model as a program of TOSA, in text: what the converter writes, but quantization of floats saturates.

    Args:
        source: the path of a .tflite file, or its bytes.
        shapes: sizes of inputs, by their names in the model.

    Raises:
        UnsupportedError: the converter does not take the model; the message is the converter's.
    """
    with tempfile.TemporaryDirectory(prefix="qcc-tflite-") as folder:
        given = isinstance(source, (bytes, bytearray))
        if isinstance(source, (bytes, bytearray)):
            model = os.path.join(folder, "model.tflite")
            pathlib.Path(model).write_bytes(source)
        else:
            model = os.fspath(source)
        if not os.path.isfile(model):
            raise InvalidArgumentError(f"there is no file '{model}'")
        text = _convert(model, os.path.join(folder, "model.mlir"), shapes or {})
    if given:
        text = text.replace(json.dumps(model), '"the model"')
    _refuse_floor_mod(text)
    return _saturate(text)


def _convert(model: str, program: str, shapes: Mapping[str, Sequence[int]]) -> str:
    """What the converter writes. It has a process of its own, which it ends on models that it does not expect."""
    sizes = json.dumps({name: [int(size) for size in shape] for name, shape in shapes.items()})
    script = pathlib.Path(__file__).with_name("_tflite_converter.py")
    done = subprocess.run([sys.executable, str(script), model, program, sizes], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        verb = "crashes on" if done.returncode < 0 else "does not take"
        reason = " ".join(done.stderr.split("\n")[-8:]).strip()
        raise UnsupportedError(f"the converter {verb} the model: {reason}; leave out the op, or give its result "
                               "to the program as an input")
    return pathlib.Path(program).read_text()


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
