# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of TensorFlow Lite, whose variables are kept from one call to the next.

    import qcc.tflite

    model = qcc.tflite.compile("model.tflite")
    y = model(x)

`qcc.compile` takes the same models; variables are arguments and results of its entries.
"""

from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Sequence, Union

import numpy as np

from ._compile import compile as _compile
from ._function import Function

__all__ = ["Model", "compile"]


class Model:
    """A compiled model. A call takes the inputs and gives the outputs; variables keep their values from one call to the next.

    Calls of one object that has variables must not overlap. `function` is the entry: it takes the variables behind the
    inputs, and gives their new values behind the outputs.
    """

    def __init__(self, function: Function, initial_state: Sequence[Any] = ()) -> None:
        self.function = function
        #: Of each variable in the order of the entry's arguments: its value before the first call.
        self.initial_state: List["np.ndarray[Any, Any]"] = [np.array(value) for value in initial_state]
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
            target: Union[str, Sequence[str]] = "native", threads: int = 0, rounding: Optional[str] = None) -> Model:
    """Compiles a model.

    Args:
        source: the path of a .tflite file, or its bytes.
        shapes: sizes of inputs, by their names in the model; others are those of the model, or dynamic.
        target: the processor, as for `qcc.compile`.
        threads: how many threads a call uses; 0 is one for each core.
        rounding: "reference" or "xnnpack", as for `qcc.compile`.

    Returns:
        The model, which is called with arrays. Quantized tensors are their stored integers.

    Raises:
        What `qcc.compile` raises.
    """
    name = "the model" if isinstance(source, (bytes, bytearray)) else os.fspath(source)
    module = _compile(source, target=target, name=name, shapes=shapes, rounding=rounding)
    function = module.function("main", threads=threads)
    if "initial_state" not in module.functions:
        return Model(function)
    state = module.function("initial_state", threads=1)()
    return Model(function, state if isinstance(state, tuple) else (state,))
