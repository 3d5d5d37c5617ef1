"""Builds a float ONNX model node by node."""

import numpy
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Graph:
    """A model in the making; values are named by strings."""

    def __init__(self, seed=0):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.inputs, self.outputs, self.constants = [], [], [], []

    def input(self, name, shape, kind=FLOAT):
        """A size may be a name."""
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value, name, kind=FLOAT):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def constant(self, array, dtype=None):
        array = numpy.asarray(array)
        if dtype is None:
            dtype = numpy.int64 if array.dtype.kind == "i" else numpy.float32
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array.astype(dtype), name))
        return name

    def weight(self, *shape, fan=None):
        """Random numbers whose sums over `fan` products keep the variance."""
        return self.constant(self.random.standard_normal(shape) / (fan or shape[0]) ** 0.5)

    def node(self, op, *inputs, outputs=1, **attributes):
        """An operand that is no name becomes a constant; None is an absent one."""
        operands = ["" if x is None else x if isinstance(x, str) else self.constant(x) for x in inputs]
        names = [f"{op}_{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(op, operands, names, f"{op}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def linear(self, x, inner, outer):
        """MatMul and Add, as frameworks write it for more than two dimensions."""
        return self.node("Add", self.node("MatMul", x, self.weight(inner, outer)), self.bias(outer))

    def gemm(self, x, inner, outer):
        return self.node("Gemm", x, self.weight(outer, inner, fan=inner), self.bias(outer), transB=1)

    def bias(self, size):
        return self.constant(self.random.standard_normal(size) * 0.1)

    def conv(self, x, inner, outer, *window, groups=1, stride=1, pad=None, dilation=1):
        fan = inner // groups * int(numpy.prod(window))
        pads = [size // 2 * dilation if pad is None else pad for size in window]
        return self.node("Conv", x, self.weight(outer, inner // groups, *window, fan=fan), self.bias(outer), group=groups,
                         pads=pads * 2, strides=[stride] * len(window), dilations=[dilation] * len(window))

    def conv_transpose(self, x, inner, outer, *window, stride):
        pads = [(size - stride) // 2 for size in window]
        fan = max(1, inner * int(numpy.prod(window)) // stride ** len(window))
        return self.node("ConvTranspose", x, self.weight(inner, outer, *window, fan=fan), self.bias(outer),
                         strides=[stride] * len(window), pads=pads * 2)

    def layer_norm(self, x, size):
        """Spelled out, as exporters do it before operator set 17."""
        centered = self.node("Sub", x, self.node("ReduceMean", x, axes=[-1]))
        variance = self.node("ReduceMean", self.node("Pow", centered, 2.0), axes=[-1])
        root = self.node("Sqrt", self.node("Add", variance, 1e-5))
        scaled = self.node("Mul", self.node("Div", centered, root), numpy.ones(size) * 0.9)
        return self.node("Add", scaled, self.bias(size))

    def gelu(self, x):
        erf = self.node("Add", self.node("Erf", self.node("Div", x, 2 ** 0.5)), 1.0)
        return self.node("Mul", self.node("Mul", x, erf), 0.5)

    def silu(self, x):
        return self.node("Mul", x, self.node("Sigmoid", x))

    def size(self, x, axis):
        """A size as a tensor of one element."""
        return self.node("Unsqueeze", self.node("Gather", self.node("Shape", x), axis, axis=0), [0])

    def model(self, opset=17):
        graph = helper.make_graph(self.nodes, "main", self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        model = shape_inference.infer_shapes(model, strict_mode=True)
        del model.graph.value_info[:]
        checker.check_model(model)
        return model
