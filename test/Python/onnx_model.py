"""Builds ONNX models of a few nodes and runs them through `qcc run`."""

import pathlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

import program


class Model:
    """A graph in the making; values are named by strings."""

    def __init__(self, opset=20):
        self.opset = opset
        self.nodes, self.inputs, self.constants, self.arrays = [], [], [], []

    def input(self, name, array, shape=None):
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape or array.shape))
        self.arrays.append(array)
        return name

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def value(self, name, array, is_input):
        return self.input(name, array) if is_input else self.constant(name, array)

    def node(self, op, inputs, outputs=1, **attributes):
        """`op` is of the default domain, or "domain::name"."""
        names = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        domain, _, name = op.rpartition("::")
        self.nodes.append(helper.make_node(name, inputs, names, names[0], domain=domain, **attributes))
        return names if outputs > 1 else names[0]

    def model(self, outputs):
        infos = [helper.make_tensor_value_info(name, onnx.TensorProto.UNDEFINED, None)
                 for name in outputs]
        for info in infos:
            info.ClearField("type")
        graph = helper.make_graph(self.nodes, "test", self.inputs, infos, self.constants)
        return helper.make_model(graph, ir_version=10,
                                 opset_imports=[helper.make_opsetid("", self.opset),
                                                helper.make_opsetid("com.microsoft", 1)])

    def run(self, folder, outputs, arguments=()):
        """The arrays of the outputs."""
        path = pathlib.Path(folder) / "model.onnx"
        path.write_bytes(self.model(outputs).SerializeToString())
        return program.run_file(path, folder, self.arrays, len(outputs), arguments=arguments)
