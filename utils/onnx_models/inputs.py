"""Seeded inputs of an ONNX model."""

import numpy
from onnx import helper


def graph_inputs(model):
    """The inputs without those that have a constant of their name."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return [info for info in model.graph.input if info.name not in constants]


def is_known(dim):
    return dim.HasField("dim_value") and dim.dim_value >= 0


def make_inputs(model, size, seed, tokens=100, limits=None, values=None):
    """{name: array}, in the order of the model.

    size(name, axis, parameter) is that of a dynamic dimension of an input, whose parameter may be
    empty. Floats are normal, masks mostly 1, integers below `tokens` or what `limits` has for the
    name; `values` has inputs that are one value everywhere.
    """
    random = numpy.random.default_rng(seed)
    limits, values, arrays = limits or {}, values or {}, {}
    for info in graph_inputs(model):
        kind, name = info.type.tensor_type, info.name
        shape = [dim.dim_value if is_known(dim) else size(name, axis, dim.dim_param)
                 for axis, dim in enumerate(kind.shape.dim)]
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if name in values:
            arrays[name] = numpy.full(shape, values[name], dtype)
        elif dtype.kind == "f":
            arrays[name] = random.standard_normal(shape).astype(dtype)
        elif dtype.kind == "b":
            arrays[name] = numpy.ones(shape, dtype)
        elif "mask" in name:
            arrays[name] = numpy.minimum(random.integers(0, 4, shape), 1).astype(dtype)
        else:
            arrays[name] = random.integers(0, limits.get(name, tokens), shape).astype(dtype)
    return arrays
