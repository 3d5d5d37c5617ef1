# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX for ops of PyTorch that torch.onnx does not translate, or translates into ops that are no quantization."""

from __future__ import annotations

from typing import Any, Sequence

import torch

from ._torch_layers import translate_groups
from .errors import UnsupportedError

#: Types of ONNX.
_FLOAT, _UINT8, _INT8, _INT16, _INT32, _INT64, _DOUBLE = 1, 2, 3, 5, 6, 7, 11
#: The least and the greatest number of each.
_RANGES = {_UINT8: (0, 255), _INT8: (-128, 127), _INT16: (-2**15, 2**15 - 1), _INT32: (-2**31, 2**31 - 1)}
#: The operator set in which DequantizeLinear has blocks.
_BLOCKS = 21


def _int_mm(a: Any, b: Any) -> Any:
    """torch._int_mm, which torchao's dynamic quantization calls."""
    from onnxscript import opset18 as op
    return op.MatMulInteger(a, b)


def _shape(*sizes: int) -> Any:
    from onnxscript import ir
    from onnxscript import opset18 as op
    return op.Constant(value=ir.tensor(list(sizes), dtype=ir.DataType.INT64))


def _number(value: Any, dtype: int) -> Any:
    """A number of Python, or a tensor of one element, as a tensor without dimensions."""
    from onnxscript import ir
    from onnxscript import opset18 as op
    if isinstance(value, (int, float)):
        return op.Constant(value=ir.tensor(value, dtype=ir.DataType(dtype)))
    return op.Reshape(op.Cast(value, to=dtype), _shape())


def _choose_qparams(x: Any, low: int, high: int, eps: float, dtype: int) -> Any:
    """Scale and zero point of the values of a tensor, in which 0 is exact (PT2E dynamic)."""
    from onnxscript import opset18 as op
    zero, one = op.Constant(value_float=0.0), _shape(1)
    least, greatest = op.Min(op.ReduceMin(x, keepdims=0), zero), op.Max(op.ReduceMax(x, keepdims=0), zero)
    scale = op.Max(op.Div(op.Sub(greatest, least), op.Constant(value_float=float(high - low))),
                   op.Constant(value_float=float(eps)))
    first, last = op.Constant(value_float=float(low)), op.Constant(value_float=float(high))
    point = op.Clip(op.Sub(first, op.Round(op.Div(least, scale))), first, last)
    return op.Reshape(op.Cast(scale, to=_DOUBLE), one), op.Reshape(op.Cast(point, to=_INT64), one)


def _quantize_per_tensor(x: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int, dtype: int) -> Any:
    """A quantization of PT2E, whose range may be narrower than that of its type."""
    from onnxscript import opset18 as op
    q = op.QuantizeLinear(x, _number(scale, _FLOAT), _number(zero_point, dtype))
    if (quant_min, quant_max) == _RANGES[int(dtype)]:
        return q
    return op.Clip(q, _number(quant_min, dtype), _number(quant_max, dtype))


def _dequantize_per_tensor(q: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int, dtype: int,
                           out_dtype: "int | None" = None) -> Any:
    from onnxscript import opset18 as op
    real = op.DequantizeLinear(q, _number(scale, _FLOAT), _number(zero_point, dtype))
    return real if out_dtype in (None, -1, _FLOAT) else op.Cast(real, to=out_dtype)


def _dequantize_affine(q: Any, block_size: Sequence[int], scale: Any, zero_point: Any, input_dtype: int, quant_min: Any = None,
                       quant_max: Any = None, output_dtype: int = 1) -> Any:
    """torchao's (q - zero_point) * scale: DequantizeLinear of a tensor, of an axis, or of blocks of the last one."""
    from onnxscript import opset21 as op
    sizes, blocks = list(q.shape), [int(block) for block in block_size]
    varying = [d for d, (size, block) in enumerate(zip(sizes, blocks)) if size != block]
    parameters = [scale] if zero_point is None else [scale, op.Cast(zero_point, to=int(q.dtype))]
    attributes = {}
    if not varying:
        shape = _shape()
    elif varying == [0] and blocks[0] == 1 and isinstance(sizes[0], int):
        shape, attributes = _shape(-1), {"axis": 0}
    elif all(block == 1 for block in blocks[:-1]) and isinstance(sizes[-1], int) and sizes[-1] % blocks[-1] == 0:
        # The sizes before the last one may be unknown.
        leading = op.Shape(q, end=-1)
        shape = op.Concat(leading, _shape(sizes[-1] // blocks[-1]), axis=0)
        attributes = {"axis": len(sizes) - 1, "block_size": blocks[-1]}
    elif len(varying) == 1 and blocks[varying[0]] == 1 and isinstance(sizes[varying[0]], int):
        shape, attributes = _shape(-1), {"axis": varying[0]}
    else:
        raise UnsupportedError(f"a tensor of {sizes} elements has parameters for blocks of {blocks}; take blocks of the last "
                               "dimension (PerGroup), one dimension (PerAxis) or the tensor (PerTensor)")
    return op.DequantizeLinear(q, *(op.Reshape(parameter, shape) for parameter in parameters), **attributes)


def translations() -> "dict[Any, Any]":
    """What torch.onnx.export takes as `custom_translation_table`."""
    pt2e = "quantized_decomposed"
    ops = [("aten", "_int_mm", "default", _int_mm), ("torchao", "dequantize_affine", "default", _dequantize_affine),
           ("qcc", "dequantize_groups", "default", translate_groups), (pt2e, "choose_qparams", "tensor", _choose_qparams)]
    for overload in ("default", "tensor"):
        ops += [(pt2e, "quantize_per_tensor", overload, _quantize_per_tensor),
                (pt2e, "dequantize_per_tensor", overload, _dequantize_per_tensor)]
    table = {}
    for namespace, name, overload, function in ops:
        packet = getattr(getattr(torch.ops, namespace), name, None)
        if packet is not None and overload in packet.overloads():
            table[getattr(packet, overload)] = function
    return table


def operator_set(program: Any) -> "int | None":
    """The operator set that an exported program needs; None for that of torch.onnx."""
    in_blocks = ("torchao.dequantize_affine", "qcc.dequantize_groups")
    return _BLOCKS if any(str(node.target).startswith(in_blocks) for node in program.graph.nodes) else None
