# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of TensorFlow and Keras, which TensorFlow's bridge to XLA writes as StableHLO.

    import qcc.tensorflow

    function = qcc.tensorflow.compile(layer, x)
    y = function(x)

It needs tensorflow or tensorflow-cpu, of version 2.15 or later. TensorFlow may be imported before qcc or behind it.
"""

from __future__ import annotations

import re
from typing import Any, Callable, List, Sequence, Union

import numpy as np
import tensorflow as tf  # type: ignore[import-untyped,import-not-found,unused-ignore]
from tensorflow.python.framework.convert_to_constants import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
    convert_variables_to_constants_v2)

from ._arrays import SIGNED
from ._compile import compile as _compile
from ._function import Function
from ._tensorflow_resources import check_resources
from .errors import InvalidArgumentError, UnsupportedError

__all__ = ["Program", "compile"]

#: The first version that writes StableHLO.
_OLDEST = (2, 15)

if tuple(int(part) for part in re.findall(r"\d+", tf.__version__)[:2]) < _OLDEST:
    raise ImportError(f"qcc.tensorflow needs tensorflow {_OLDEST[0]}.{_OLDEST[1]} or later, but this is tensorflow "
                      f"{tf.__version__}; pip install --upgrade tensorflow-cpu")


class Program:
    """A compiled program, which is called as the function that it was made of.

    Arguments are tensors of TensorFlow or arrays of numpy; results are tensors in the structure of the function's results.
    """

    def __init__(self, function: Function, inputs: Any, outputs: Any) -> None:
        self.function = function  #: the entry, on flat arguments
        self._inputs, self._outputs = inputs, outputs

    def __call__(self, *args: Any) -> Any:
        try:
            tf.nest.assert_same_structure(self._inputs, args)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f"the arguments have another structure than the program was compiled for: {error}"
                                       ) from None
        specs = tf.nest.flatten(self._inputs)
        results = self.function(*(self._to_entry(value, spec) for value, spec in zip(tf.nest.flatten(args), specs)))
        results = results if isinstance(results, tuple) else (results,)
        rest = iter(results)
        return tf.nest.pack_sequence_as(self._outputs, [
            None if spec is None else self._to_tensor(next(rest), np.dtype(spec.dtype.as_numpy_dtype))
            for spec in tf.nest.flatten(self._outputs)])

    @staticmethod
    def _to_entry(value: Any, spec: Any) -> Any:
        if type(value) in (bool, int, float) and not spec.dtype.is_unsigned:
            return value  # The entry converts numbers of Python, if its type holds them.
        array = np.asarray(value)
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
        return array.view(SIGNED.get(array.dtype, array.dtype))

    @staticmethod
    def _to_tensor(result: Any, dtype: "np.dtype[Any]") -> Any:
        return tf.convert_to_tensor(np.asarray(result).view(dtype))


def _to_spec(value: Any) -> Any:
    return value if isinstance(value, tf.TensorSpec) else tf.TensorSpec.from_tensor(tf.convert_to_tensor(value))


def compile(function: Callable[..., Any], *args: Any, target: Union[str, Sequence[str]] = "native", threads: int = 0
            ) -> Program:
    """Compiles a function for arguments of the types and shapes of `args`.

    Args:
        function: a `tf.function`, a Keras model or a function of Python that makes tensors of tensors. Variables that it
            reads become constants of the program, which may be packed and folded.
        args: tensors, arrays, structures of them, or `tf.TensorSpec`s with known sizes.
        target: the processor, as for `qcc.compile`.
        threads: how many threads a call uses; 0 is one for each core.

    Raises:
        UnsupportedError: XLA does not have an op of the function (the message is TensorFlow's), a size is not known, or the
            function changes a variable or uses a lookup table.
        What `qcc.compile` raises.
    """
    specs = tf.nest.map_structure(_to_spec, args)
    traced = function if hasattr(function, "get_concrete_function") else tf.function(function)
    concrete = traced.get_concrete_function(*specs)
    check_resources(concrete)
    for result in tf.nest.flatten(concrete.structured_outputs):
        if result is not None and not isinstance(result, (tf.Tensor, tf.TensorSpec)):
            raise UnsupportedError(f"a result is a {type(result).__name__}, which StableHLO does not have; return its tensors")
    frozen = convert_variables_to_constants_v2(concrete, lower_control_flow=False)
    flat: List[Any] = [tf.TensorSpec(value.shape, value.dtype) for value in frozen.inputs]
    if any(not spec.shape.is_fully_defined() for spec in flat):
        raise UnsupportedError("an argument has a size that is not known, which TensorFlow cannot write as StableHLO; "
                               "give all sizes, or export the model to ONNX")
    called = tf.function(frozen, jit_compile=True, autograph=False)
    try:
        text = called.experimental_get_compiler_ir(*flat)(stage="stablehlo")
    except (tf.errors.OpError, ValueError) as error:
        raise UnsupportedError(f"TensorFlow does not write the function as StableHLO: {error}") from None
    name = getattr(function, "name", None) or getattr(function, "__name__", "the function")
    module = _compile(text.encode(), target=target, name=str(name))
    return Program(module.function(threads=threads), specs, concrete.structured_outputs)
