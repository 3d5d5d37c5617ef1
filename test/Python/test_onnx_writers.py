"""One network as different writers of ONNX have it: the same bits, and the same kernels.

Each form rewrites the twin of a network of utils/bench_models, which has pairs of QuantizeLinear
and DequantizeLinear, and leaves its values alone. ONNX Runtime writes pairs and, before it fuses
them, constants as nodes; PyTorch casts scales and clips what it quantizes; others quantize
weights in the graph, as unsigned numbers, or dequantize them by Cast and Mul.
"""

import json
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import program

sys.path.insert(0, str(program.ROOT / "utils"))
from bench_models import models  # noqa: E402

NETWORKS = {"encoder": {}, "mobilenet-v2": dict(size=32)}
# Of the network of convolutions every second form is compiled, which takes the time.
EVERY = {"encoder": 1, "mobilenet-v2": 2}


class Rewriter:
    """A graph with what forms have in common."""

    def __init__(self, model):
        self.model, self.graph = model, model.graph
        self.constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self.count = 0

    def name(self):
        self.count += 1
        return f"form{self.count}"

    def constant(self, array):
        name = self.name()
        self.constants[name] = np.asarray(array)
        return name

    def rewrite(self, change):
        """`change` gives the nodes that replace one."""
        nodes = [new for node in self.graph.node for new in change(node)]
        del self.graph.node[:]
        self.graph.node.extend(nodes)

    def weights(self, node):
        """Stored weights, scale and zero point, where the node dequantizes constants of 8 bits."""
        if node.op_type != "DequantizeLinear" or len(node.input) < 3:
            return None
        values = [self.constants.get(name) for name in node.input]
        is_weight = values[0] is not None and values[0].dtype == np.int8 and values[0].ndim >= 2
        return values if is_weight and not values[2].any() else None

    def finish(self):
        del self.graph.initializer[:]
        self.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in self.constants.items())
        return self.model


def along_axis(node, weight, scale):
    """The scale in a shape that is broadcast to the weight's."""
    axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
    return scale if scale.ndim == 0 else scale.reshape([-1 if d == axis % weight.ndim else 1 for d in range(weight.ndim)])


def as_written(form):
    pass


def constants_as_nodes(form):
    nodes = [helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))
             for name, array in form.constants.items()]
    form.constants = {}
    for node in reversed(nodes):
        form.graph.node.insert(0, node)


def unsigned_weights(form):
    def change(node):
        if values := form.weights(node):
            node.input[0] = form.constant((values[0].astype(np.int16) + 128).astype(np.uint8))
            node.input[2] = form.constant(np.full(values[2].shape, 128, np.uint8))
        return [node]
    form.rewrite(change)


def weights_quantized_in_the_graph(form):
    def change(node):
        if not (values := form.weights(node)):
            return [node]
        real = values[0].astype(np.float32) * along_axis(node, values[0], values[1])
        stored = form.name()
        quantize = helper.make_node("QuantizeLinear", [form.constant(real), *node.input[1:]], [stored])
        quantize.attribute.extend(node.attribute)
        node.input[0] = stored
        return [quantize, node]
    form.rewrite(change)


def parameters_by_cast(form):
    def change(node):
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            return [node]
        nodes = [node]
        for i, wide in ((1, np.float64), (2, np.int64)):
            if i >= len(node.input):
                continue
            array = form.constants[node.input[i]]
            name = form.constant(array.astype(wide))
            node.input[i] = form.name()
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            nodes.insert(0, helper.make_node("Cast", [name], [node.input[i]], to=kind))
        return nodes
    form.rewrite(change)


def clipped_activations(form):
    def change(node):
        if node.op_type != "QuantizeLinear":
            return [node]
        zero = form.constants[node.input[2]]
        range_ = np.iinfo(zero.dtype)
        result, node.output[0] = node.output[0], form.name()
        bounds = [form.constant(zero.dtype.type(bound)) for bound in (range_.min, range_.max)]
        return [node, helper.make_node("Clip", [node.output[0], *bounds], [result])]
    form.rewrite(change)


def weights_by_cast_and_mul(form):
    def change(node):
        if not (values := form.weights(node)):
            return [node]
        scale, real = form.constant(along_axis(node, values[0], values[1])), form.name()
        return [helper.make_node("Cast", [node.input[0]], [real], to=onnx.TensorProto.FLOAT),
                helper.make_node("Mul", [real, scale], [node.output[0]])]
    form.rewrite(change)


def identities(form):
    def change(node):
        if node.op_type != "DequantizeLinear":
            return [node]
        result, node.output[0] = node.output[0], form.name()
        return [node, helper.make_node("Identity", [node.output[0]], [result])]
    form.rewrite(change)


def pairs_of_their_own(form):
    """Each reader of a dequantized value dequantizes it."""
    sources = {node.output[0]: node for node in form.graph.node if node.op_type == "DequantizeLinear"}
    results = {info.name for info in form.graph.output}

    def change(node):
        nodes = []
        for i, name in enumerate(node.input):
            if name in sources:
                copy = onnx.NodeProto()
                copy.CopyFrom(sources[name])
                copy.output[0] = node.input[i] = form.name()
                nodes.append(copy)
        is_read = node.op_type != "DequantizeLinear" or node.output[0] in results
        return nodes + ([node] if is_read else [])
    form.rewrite(change)


def no_zero_points(form):
    def change(node):
        if form.weights(node):
            del node.input[2]
        return [node]
    form.rewrite(change)


FORMS = [as_written, constants_as_nodes, unsigned_weights, weights_quantized_in_the_graph, parameters_by_cast,
         clipped_activations, weights_by_cast_and_mul, identities, pairs_of_their_own, no_zero_points]


def write(network, form, path):
    model = models.make(network, **NETWORKS[network])
    rewriter = Rewriter(onnx.load_from_string(model.twin(model.forms()[0]).to_onnx()))
    form(rewriter)
    path.write_bytes(rewriter.finish().SerializeToString())
    return model.library_input(model.input())


def kernels(path):
    """The kinds of all steps."""
    done = subprocess.run([str(program.qcc()), "explain", str(path), "--json"], capture_output=True, text=True, check=True)
    return [kernel["kind"] for kernel in json.loads(done.stdout)["kernels"]]


@pytest.mark.parametrize("network", NETWORKS)
def test_forms_are_one_program(network, tmp_path, compiler):
    expected = None
    for form in FORMS[:: EVERY[network]]:
        path = tmp_path / f"{form.__name__}.onnx"
        x = write(network, form, path)
        (y,) = program.run_file(path, tmp_path, [x], 1)
        result = y, kernels(path)
        expected = expected or result
        program.assert_same_bits(y, expected[0])
        assert result[1] == expected[1] and "contract" in result[1], form.__name__
