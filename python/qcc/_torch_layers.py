# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers whose weights have 4 or 8 bits, with a scale and a zero point for each group of inputs.

Codes are the stored integers less 2^(bits - 1), and so are zero points, so that both are int8.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional

import torch

from .errors import InvalidArgumentError, UnsupportedError

#: The column of 8 that bits 4 i to 4 i + 3 of a word of AWQ hold.
_AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


@torch.library.custom_op("qcc::dequantize_groups", mutates_args=())  # type: ignore[untyped-decorator,unused-ignore]
def dequantize_groups(codes: torch.Tensor, scales: torch.Tensor, zero_points: torch.Tensor) -> torch.Tensor:
    """(codes - zero_points) * scales for codes [N, K], the others [N, groups]."""
    groups = codes.unflatten(1, (scales.shape[1], -1)).to(torch.int32) - zero_points.unsqueeze(-1).to(torch.int32)
    return (groups.to(torch.float32) * scales.unsqueeze(-1)).flatten(1)


@dequantize_groups.register_fake  # type: ignore[untyped-decorator,unused-ignore]
def _(codes: torch.Tensor, scales: torch.Tensor, zero_points: torch.Tensor) -> torch.Tensor:
    return codes.new_empty(codes.shape, dtype=torch.float32)


@dataclasses.dataclass
class _Weight:
    """Codes [N, K] and zero points [N, groups] of int8, scales [N, groups] of float32, the group of each input or None."""

    codes: torch.Tensor
    scales: torch.Tensor
    zero_points: torch.Tensor
    group_of: Optional[torch.Tensor] = None


class GroupedLinear(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """x * transpose(weight) + bias, for a weight in groups; `order` are the inputs in the order of groups, or None."""

    def __init__(self, weight: _Weight, bias: Optional[torch.Tensor], order: Optional[torch.Tensor]) -> None:
        super().__init__()
        for name, tensor in (("codes", weight.codes), ("scales", weight.scales), ("zero_points", weight.zero_points),
                             ("bias", bias), ("order", order)):
            self.register_buffer(name, None if tensor is None else tensor.detach().contiguous())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.order is not None:
            x = x.index_select(-1, self.order)
        weight = torch.ops.qcc.dequantize_groups(self.codes, self.scales, self.zero_points)
        return torch.nn.functional.linear(x, weight.to(x.dtype), self.bias)


def _unpack(words: torch.Tensor, bits: int, dim: int) -> torch.Tensor:
    """The fields of words of 32 bits along a dimension, lowest bits first."""
    shifts = torch.arange(0, 32, bits, dtype=torch.int32)
    fields = (words.movedim(dim, -1).unsqueeze(-1) >> shifts) & (2**bits - 1)
    return fields.flatten(-2).movedim(-1, dim)


def _bits(name: str, words: int, elements: int) -> int:
    """The bits of an element where so many words hold a row."""
    for bits in (4, 8):
        if words * 32 == elements * bits:
            return bits
    raise UnsupportedError(f"'{name}' has {words} words for {elements} elements, which are neither 4 nor 8 bits each; "
                           "take a checkpoint of 4 or 8 bits")


def _to_int8(integers: torch.Tensor, bits: int) -> torch.Tensor:
    return (integers - 2 ** (bits - 1)).to(torch.int8)


def _read_gptq(prefix: str, own: Mapping[str, torch.Tensor], k: int) -> _Weight:
    """qweight [K * bits / 32, N], qzeros [groups, N * bits / 32] of zero points less 1, scales [groups, N], g_idx [K]."""
    words = own["qweight"]
    bits = _bits(f"{prefix}.qweight", words.shape[0], k)
    zero_points = (_unpack(own["qzeros"], bits, 1) + 1) & (2**bits - 1)
    return _Weight(_to_int8(_unpack(words, bits, 0).t(), bits), own["scales"].t(), _to_int8(zero_points.t(), bits), own.get("g_idx"))


def _read_awq(own: Mapping[str, torch.Tensor]) -> _Weight:
    """qweight [K, N / 8], qzeros [groups, N / 8], scales [groups, N]; the columns of a word have an order of their own."""
    def unpack(words: torch.Tensor) -> torch.Tensor:
        place = torch.argsort(torch.tensor(_AWQ_ORDER))
        columns = _unpack(words, 4, 1).unflatten(1, (-1, 8))[:, :, place]
        return _to_int8(columns.flatten(1).t(), 4)

    return _Weight(unpack(own["qweight"]), own["scales"].t(), unpack(own["qzeros"]))


def _read_compressed(prefix: str, own: Mapping[str, torch.Tensor], k: int) -> _Weight:
    """weight_packed [N, K * bits / 32], weight_scale [N, groups], weight_zero_point [N * bits / 32, groups], weight_g_idx."""
    words, scales = own["weight_packed"], own["weight_scale"]
    if scales.numel() == 1:  # one for the whole tensor
        scales = scales.reshape(1, 1).expand(words.shape[0], 1)
    bits = _bits(f"{prefix}.weight_packed", words.shape[1], k)
    zero_points = torch.zeros(scales.shape, dtype=torch.int8)
    if "weight_zero_point" in own:
        zero_points = _to_int8(_unpack(own["weight_zero_point"], bits, 0), bits)
    return _Weight(_to_int8(_unpack(words, bits, 1), bits), scales, zero_points, own.get("weight_g_idx"))


def _read(prefix: str, own: Mapping[str, torch.Tensor], layer: torch.nn.Linear) -> Optional[_Weight]:
    """The weight of a layer, from the tensors whose names begin with its name; None if they are of no known layout."""
    n, k = layer.out_features, layer.in_features
    if "weight_packed" in own:
        return _read_compressed(prefix, own, k)
    if "qweight" not in own:
        return None
    for name in ("qzeros", "scales"):
        if name not in own:
            raise InvalidArgumentError(f"'{prefix}.qweight' has no '{prefix}.{name}' beside it; give all tensors of the layer")
    if own["qweight"].shape[1] == n:
        return _read_gptq(prefix, own, k)
    if tuple(own["qweight"].shape) == (k, n // 8):
        return _read_awq(own)
    raise InvalidArgumentError(f"'{prefix}.qweight' has the shape {tuple(own['qweight'].shape)}, which is neither that of GPTQ nor that "
                               f"of AWQ for {n} outputs and {k} inputs; give the model of this checkpoint")


def _order(prefix: str, group_of: Optional[torch.Tensor], k: int, groups: int) -> Optional[torch.Tensor]:
    """The inputs in the order of their groups; None if this is their order."""
    if group_of is None:
        return None
    group_of = group_of.to(torch.int64)
    if torch.all(group_of == -1):  # what compressed-tensors writes where no inputs were reordered
        return None
    in_order = torch.arange(k) // (k // groups)
    if torch.equal(group_of, in_order):
        return None
    order = torch.argsort(group_of, stable=True)
    if not torch.equal(group_of[order], in_order):
        raise UnsupportedError(f"'{prefix}' has groups of different sizes; take a checkpoint whose groups have one size")
    return order


def _make_layer(prefix: str, layer: torch.nn.Linear, own: Mapping[str, torch.Tensor], weight: _Weight) -> GroupedLinear:
    n, k, groups = layer.out_features, layer.in_features, weight.scales.shape[1]
    if tuple(weight.codes.shape) != (n, k) or weight.scales.shape != weight.zero_points.shape or groups == 0 or k % groups:
        raise InvalidArgumentError(
            f"the weight of '{prefix}' has {list(weight.codes.shape)} elements, {list(weight.scales.shape)} scales and "
            f"{list(weight.zero_points.shape)} zero points, for {n} outputs and {k} inputs; give the model of this checkpoint")
    weight.scales = weight.scales.to(torch.float32)
    order = _order(prefix, weight.group_of, k, groups)
    if order is not None:
        weight.codes = weight.codes[:, order]
    bias = own.get("bias", layer.bias)
    return GroupedLinear(weight, None if bias is None else bias.to(layer.weight.dtype), order)


def load_quantized(model: torch.nn.Module, tensors: Mapping[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
    """Gives the Linear layers of a model the weights of 4 or 8 bits of a checkpoint, in place.

    Layouts are those of GPTQ, AWQ and compressed-tensors ("pack-quantized"), as Hugging Face stores them. Inputs that GPTQ
    has reordered (`g_idx`) are brought into the order of their groups.

    Args:
        model: the model, with a Linear layer for each weight.
        tensors: what `safetensors.torch.load_file` reads.

    Returns:
        The tensors that it has not used, for `model.load_state_dict(rest, strict=False)`.

    Raises:
        InvalidArgumentError: tensors do not fit the layers.
        UnsupportedError: weights have other numbers of bits, or groups have different sizes.
    """
    rest: Dict[str, torch.Tensor] = dict(tensors)
    layers = [(prefix, layer) for prefix, layer in model.named_modules(remove_duplicate=False) if isinstance(layer, torch.nn.Linear)]
    made: Dict[int, GroupedLinear] = {}  # by the layer, which may have several names
    for prefix, layer in layers:
        start = f"{prefix}." if prefix else ""
        own = {name[len(start):]: tensor for name, tensor in tensors.items() if name.startswith(start) and "." not in name[len(start):]}
        weight = _read(prefix, own, layer)
        if weight is None:
            continue
        if not prefix:
            raise InvalidArgumentError("the model is a Linear layer; put it into a module")
        made[id(layer)] = _make_layer(prefix, layer, own, weight)
        for key in own:
            del rest[start + key]
    for prefix, layer in layers:
        if id(layer) in made:
            parent, _, name = prefix.rpartition(".")
            setattr(model.get_submodule(parent), name, made[id(layer)])
    return rest


def translate_groups(codes: Any, scales: Any, zero_points: Any) -> Any:
    """`dequantize_groups` in ONNX."""
    from onnxscript import opset21 as op
    return op.DequantizeLinear(codes, scales, zero_points, axis=1, block_size=codes.shape[1] // scales.shape[1])
