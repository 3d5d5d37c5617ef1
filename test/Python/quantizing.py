"""Models and data for the tests of python -m qcc quantize."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (1, 3, 12, 12)


class Network:
    """A small network of two convolutions and a matrix product, with random weights."""

    def __init__(self, names=True, batch="batch", normalize=False, constants=False):
        self._random, self._tensors, self._nodes = np.random.default_rng(0), [], []
        self._names, self._constants = names, constants
        self._node("Conv", ["x", self._weight(16, 3, 3, 3), self._bias(16)], "c1", pads=[1] * 4)
        if normalize:
            statistics = [self._tensor(self._random.random(16) + 0.5) for _ in range(4)]
            self._node("BatchNormalization", ["c1", *statistics], "n1")
        self._node("Relu", ["n1" if normalize else "c1"], "r1")
        self._node("Conv", ["r1", self._weight(16, 16, 3, 3), self._bias(16)], "c2", pads=[1] * 4)
        self._node("Add", ["r1", "c2"], "sum")
        self._node("Relu", ["sum"], "r2")
        self._node("GlobalAveragePool", ["r2"], "pooled")
        self._node("Flatten", ["pooled"], "flat")
        self._node("Gemm", ["flat", self._weight(10, 16), self._bias(10)], "fc", transB=1)
        self._node("Softmax", ["fc"], "y")
        graph = helper.make_graph(
            self._nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, *SHAPE[1:]])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 10])], self._tensors)
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def _tensor(self, array):
        name = f"t{len(self._tensors) + len(self._nodes)}"
        tensor = numpy_helper.from_array(array.astype(np.float32), name)
        if self._constants:
            self._nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        else:
            self._tensors.append(tensor)
        return name

    def _weight(self, *shape):
        return self._tensor(self._random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:])))

    def _bias(self, size):
        return self._tensor(self._random.standard_normal(size) * 0.1)

    def _node(self, op, inputs, output, **attributes):
        name = f"{op.lower()}_{output}" if self._names else ""
        self._nodes.append(helper.make_node(op, inputs, [output], name, **attributes))


#: The contractions of Network.
LAYERS = ["conv_c1", "conv_c2", "gemm_fc"]

SAMPLES = """
import numpy as np

def samples():
    random = np.random.default_rng(1)
    for _ in range(8):
        yield {"x": random.standard_normal((1, 3, 12, 12)).astype(np.float32)}
"""


def save(model, path):
    path.write_bytes(model.SerializeToString())
    return path


def samples(count=8):
    random = np.random.default_rng(1)
    return [random.standard_normal(SHAPE).astype(np.float32) for _ in range(count)]


def run_ort(model, x):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def two_inputs():
    """y = Relu(a * W) + b: a has any number of rows, b has none."""
    weight = numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    nodes = [helper.make_node("MatMul", ["a", "w"], ["m"], "m"), helper.make_node("Add", ["m", "b"], ["y"], "s")]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("a", TensorProto.FLOAT, ["rows", 4]),
                     helper.make_tensor_value_info("b", TensorProto.FLOAT, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 4])], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def integer_model():
    """A float model that is quantized already."""
    return onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x) => (float[2, 3] y) <float s = {0.5}, int8 z = {1}> {
  q = QuantizeLinear(x, s, z)
  y = DequantizeLinear(q, s, z)
}""")
