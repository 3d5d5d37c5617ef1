# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What quantizes: NNCF or the quantizer of ONNX Runtime, with the options that suit qcc.

Both get a float model and calibration data, and return the model with QuantizeLinear and DequantizeLinear: weights of
int8 or of 7 bits with a scale for each channel, activations of one scale for each tensor, biases in float32.
"""

from __future__ import annotations

import fnmatch
import os
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from .._compile import explain
from .._packages import need, need_nncf, need_ort_quantization, quiet
from ..errors import InvalidArgumentError, UnsupportedError
from ._data import Data, Sample
from ._graph import constants_of
from ._placement import check, constant_sums, quantized_layers, with_float_layers
from ._prices import place_rounding

#: What ONNX Runtime quantizes: contractions, and ops between them whose operands are stored.
_ORT_OPS = ["Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "Concat", "MaxPool", "AveragePool", "GlobalAveragePool",
            "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Split", "Slice"]


def choose_nodes(model: Any, patterns: Sequence[str], op_types: Sequence[str]) -> List[str]:
    """The nodes that stay in float: those whose names match, and those of these ops.

    Raises:
        InvalidArgumentError: the model has no such node.
    """
    chosen = set()
    for pattern in patterns:
        found = [node.name for node in model.graph.node
                 if node.name == pattern or fnmatch.fnmatchcase(node.name, pattern)]
        if not found:
            raise InvalidArgumentError(f"no node has a name like '{pattern}' (--exclude); a name may have the "
                                       "wildcards * and ?")
        chosen.update(found)
    for op_type in op_types:
        found = [node.name for node in model.graph.node if node.op_type == op_type]
        if not found:
            ops = ", ".join(sorted({node.op_type for node in model.graph.node}))
            raise InvalidArgumentError(f"the model has no node of the op '{op_type}' (--keep-float); it has {ops}")
        chosen.update(found)
    return [node.name for node in model.graph.node if node.name in chosen]


def has_attention(model: Any) -> bool:
    """Whether a model multiplies two computed values and normalizes by Softmax, as layers of transformers do."""
    constants = constants_of(model)
    is_product = any(node.op_type == "MatMul" and not any(name in constants for name in node.input)
                     for node in model.graph.node)
    return is_product and any(node.op_type == "Softmax" for node in model.graph.node)


def weight_bits_of(target: str = "native") -> int:
    """How many bits of weights are fastest on a processor: 8 if it sums products of bytes in 32 bits.

    Other x86 processors add two products in 16 bits. That is exact for weights of 7 bits, and takes fewer instructions than
    products of larger weights. The compiler knows the instruction: it is asked for that of a small product.
    """
    helper = need("onnx.helper")
    floats, bytes_ = 1, 3  # TensorProto.FLOAT and INT8, as onnx numbers them.
    names = ["one", "zero"]
    constants = [helper.make_tensor("one", floats, [], [1.0]), helper.make_tensor("zero", bytes_, [], [0]),
                 helper.make_tensor("w", bytes_, [64, 64], [64] * 4096)]
    nodes = [helper.make_node("QuantizeLinear", ["x", *names], ["q"]),
             helper.make_node("DequantizeLinear", ["q", *names], ["d"]),
             helper.make_node("DequantizeLinear", ["w", *names], ["v"]), helper.make_node("MatMul", ["d", "v"], ["y"])]
    values = [helper.make_tensor_value_info(name, floats, [64, 64]) for name in "xy"]
    graph = helper.make_graph(nodes, "probe", values[:1], values[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    atoms = [step.atom for step in explain(model.SerializeToString(), target=target).steps if step.atom]
    return 8 if any("vnni" in atom or "amx" in atom for atom in atoms) else 7


def _quantize_by_nncf(model: Any, data: Data, excluded: Sequence[str], weight_bits: int) -> Any:
    nncf = need_nncf()
    need("onnxruntime")  # NNCF runs the model by it.
    halve = nncf.OverflowFix.ENABLE if weight_bits == 7 else nncf.OverflowFix.DISABLE
    options = nncf.AdvancedQuantizationParameters(overflow_fix=halve)
    scope = nncf.IgnoredScope(names=list(excluded), validate=False) if excluded else None
    return nncf.quantize(model, nncf.Dataset(_Again(data)), subset_size=data.most, preset=nncf.QuantizationPreset.MIXED,
                         model_type=nncf.ModelType.TRANSFORMER if has_attention(model) else None,
                         ignored_scope=scope, advanced_parameters=options)


class _Again:
    """Samples that can be read several times, and of which there is no list."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def __iter__(self) -> Iterator[Sample]:
        return iter(self._data)


def _quantize_by_ort(model: Any, data: Data, excluded: Sequence[str], weight_bits: int) -> Any:
    ort = need_ort_quantization()
    onnx = need("onnx")
    samples: Iterator[Sample] = iter(data)

    class Reader(ort.CalibrationDataReader):  # type: ignore[misc,name-defined]
        def get_next(self) -> Optional[Sample]:
            return next(samples, None)

    with tempfile.TemporaryDirectory(prefix="qcc-quantize-") as folder:
        path = os.path.join(folder, "quantized.onnx")
        ort.quantize_static(
            model, path, Reader(), quant_format=ort.QuantFormat.QDQ, op_types_to_quantize=_ORT_OPS, per_channel=True,
            nodes_to_exclude=[*excluded, *constant_sums(model)], activation_type=ort.QuantType.QUInt8,
            weight_type=ort.QuantType.QInt8, reduce_range=weight_bits == 7,
            # A Relu is part of a kernel, and a model that keeps it can have single layers in float.
            extra_options={"QuantizeBias": False, "QDQKeepRemovableActivations": True})
        return onnx.load(path)


#: The names that --engine takes.
ENGINES: Dict[str, Callable[[Any, Data, Sequence[str], int], Any]] = {"nncf": _quantize_by_nncf, "ort": _quantize_by_ort}


def quantize(model: Any, data: Data, engine: str = "nncf", excluded: Sequence[str] = (), weight_bits: int = 8) -> Any:
    """Quantizes a prepared float model.

    Args:
        model: an onnx.ModelProto, which stays as it is.
        data: what ranges are measured on.
        engine: one of ENGINES.
        excluded: names of nodes that stay in float.
        weight_bits: 8, or 7 for processors that `weight_bits_of` describes.

    Raises:
        UnsupportedError: a package is missing, or the engine cannot quantize the model.
        InvalidArgumentError: the data does not fit.
    """
    copy = type(model)()
    copy.CopyFrom(model)
    first = data.first()  # What is wrong with the data is no fault of the engine.
    with quiet():
        try:
            quantized = ENGINES[engine](copy, data, excluded, weight_bits)
        except (UnsupportedError, InvalidArgumentError):
            raise
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            other = next(name for name in ENGINES if name != engine)
            raise UnsupportedError(f"{engine} cannot quantize the model: {reason.rstrip('.')}; exclude the node by "
                                   f"--exclude, or try --engine={other}") from error
    wrong = set(excluded) & set(quantized_layers(quantized))
    if wrong:
        quantized = with_float_layers(quantized, model, wrong)
    quantized = place_rounding(quantized, {name: array.shape for name, array in first.items()})
    check(quantized)
    return quantized
