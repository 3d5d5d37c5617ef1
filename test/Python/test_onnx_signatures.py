"""The signatures of ONNX ops, and nodes that break them: each is refused where it is, with a remedy."""

import re
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import program
from onnx_import import import_model, refusal

SCRIPT = program.ROOT / "utils" / "onnx-signatures.py"


def test_the_files_are_those_of_the_packages():
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "StandardSignatures.def" not in done.stdout, done.stdout


def attribute(name, value):
    return helper.make_attribute(name, value)


def untyped(name, value):
    made = helper.make_attribute(name, value)
    made.ClearField("type")
    return made


def mistyped(name, value, kind):
    """The type and the field with the value disagree."""
    made = helper.make_attribute(name, value)
    made.type = kind
    return made


F32, I32 = TensorProto.FLOAT, TensorProto.INT32


def model(op, inputs="x", outputs="y", attributes=(), opset=17, domain="", name="a"):
    """A node of floats x, z [1, 4, 6, 6], integers i, j [4], weights w and scalars s (float), u (uint8)."""
    node = helper.make_node(op, inputs.split(","), outputs.split(","), name, domain=domain)
    node.attribute.extend(attributes)
    infos = [helper.make_tensor_value_info(n, F32, [1, 4, 6, 6]) for n in "xz"]
    infos += [helper.make_tensor_value_info(n, I32, [4]) for n in "ij"]
    constants = [numpy_helper.from_array(np.ones((4, 4, 3, 3), np.float32), "w"),
                 numpy_helper.from_array(np.ones((), np.float32), "s"), numpy_helper.from_array(np.ones((), np.uint8), "u")]
    graph = helper.make_graph([node], "g", infos, [helper.make_empty_tensor_value_info(outputs.split(",")[0])], constants)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", opset),
                                                                 helper.make_opsetid("com.microsoft", 1)])


ATTRIBUTES = [
    ("Conv", "x,w", [attribute("stride", [2, 2])], "has the attribute 'stride', which the op does not have; did you mean 'strides'?"),
    ("Conv", "x,w", [attribute("pad", [1, 1, 1, 1])], "has the attribute 'pad', which the op does not have; did you mean 'pads'?"),
    ("Softmax", "x", [attribute("axes", 0)], "has the attribute 'axes', which the op does not have; did you mean 'axis'?"),
    ("Softmax", "x", [attribute("elephants", 0)],
     "has the attribute 'elephants', which the op does not have; correct the name, or remove it; it has axis"),
    ("Relu", "x", [attribute("alpha", 1.0)], "has the attribute 'alpha', which the op does not have; it has none: remove the attribute"),
    ("Transpose", "x", [attribute("perms", [3, 2, 1, 0])], "did you mean 'perm'?"),
    ("ReduceSum", "x", [attribute("axes", [1])], "has the attribute 'axes', which is an input in this version of the op; make it input 1"),
    ("AveragePool", "x", [attribute("kernel_shape", [2, 2]), attribute("dilations", [1, 1])],
     "has the attribute 'dilations', which the op has since operator set 19; convert the model to that, or remove the attribute"),
    ("Softmax", "x", [attribute("axis", [0])], "has the attribute 'axis' with a list of ints; it is an int: correct its type"),
    ("Softmax", "x", [attribute("axis", 0.0)], "has the attribute 'axis' with a float; it is an int: correct its type"),
    ("Softmax", "x", [untyped("axis", 0)], "has the attribute 'axis' with a value of another type; it is an int"),
    ("Softmax", "x", [mistyped("axis", 1.0, onnx.AttributeProto.INT)], "has the attribute 'axis' with a value of another type"),
    ("Conv", "x,w", [attribute("strides", "ab")], "has the attribute 'strides' with a string; it is a list of ints"),
    ("LeakyRelu", "x", [attribute("alpha", 1)], "has the attribute 'alpha' with an int; it is a float"),
    ("Softmax", "x", [attribute("axis", 0), attribute("axis", 1)], "has the attribute 'axis' twice; remove one"),
    ("Cast", "x", [], "lacks the attribute 'to', an int; give it one"),
    ("MaxPool", "x", [], "lacks the attribute 'kernel_shape', a list of ints; give it one"),
    ("com.microsoft::FusedGemm", "x,x", [attribute("activations", "Relu")], "did you mean 'activation'?"),
    ("SimplifiedLayerNormalization", "x,w", [attribute("epsilo", 0.1)], "did you mean 'epsilon'?"),
]


@pytest.mark.parametrize("op, inputs, attributes, message", ATTRIBUTES)
def test_attributes(op, inputs, attributes, message, tmp_path, compiler):
    domain, _, op = op.rpartition("::")
    found = refusal(model(op, inputs, attributes=attributes, domain=domain), tmp_path)
    assert re.search(rf"^.*model\.onnx: error: node 'a' \({op}-\d+\) .*{re.escape(message)}", found, re.M), found


INPUTS = [
    ("Neg", "x,,x", "y", "has 3 inputs; the op has at most 1: remove the others"),
    ("Add", "x,z,x", "y", "has 3 inputs; the op has at most 2: remove the others"),
    ("Add", "x", "y", "has 1 input and lacks input 1 ('B'), which the op needs; give it one"),
    ("Add", ",x", "y", "leaves out input 0 ('A'), which the op needs; give it one"),
    ("Conv", "x,", "y", "leaves out input 1 ('W'), which the op needs; give it one"),
    ("Concat", "x,,z", "y", "leaves out input 1 ('inputs'), which the op needs; give it one"),
    ("Relu", "x", "y,z", "has 2 outputs; the op has at most 1: remove the others"),
    ("TopK", "x,i", "y", "has 1 output and lacks output 1 ('Indices'), which the op needs; give it one"),
    ("Dropout", "x", ",y", "leaves out output 0 ('output'), which the op needs; give it one"),
    ("Add", "x,i", "y", "has elements of int32 in input 1 ('B') and of float32 in input 0 ('A'); the op takes one type for both: "
                        "convert one by a Cast"),
    ("Concat", "x,i", "y", "has elements of int32 in input 1 ('inputs') and of float32 in input 0 ('inputs')"),
    ("Sqrt", "i", "y", "has elements of int32 in input 0 ('X'), which takes float16, bfloat16, float32 or float64; convert it by a Cast"),
    ("Where", "x,x,z", "y", "has elements of float32 in input 0 ('condition'), which takes bool; convert it by a Cast"),
    ("Reshape", "x,i", "y", "has elements of int32 in input 1 ('shape'), which takes int64; convert it by a Cast"),
    ("com.microsoft::QLinearSigmoid", "x,s,u,s,u", "y", "has elements of float32 in input 0 ('X'), which takes int8 or uint8"),
]
GIVEN = {"Concat": [attribute("axis", 0)]}


@pytest.mark.parametrize("op, inputs, outputs, message", INPUTS)
def test_inputs_and_outputs(op, inputs, outputs, message, tmp_path, compiler):
    domain, _, op = op.rpartition("::")
    found = refusal(model(op, inputs, outputs, GIVEN.get(op, []), domain=domain), tmp_path)
    assert re.search(rf"error: node 'a' \({op}-\d+\) {re.escape(message)}", found), found


def test_all_faults_of_a_node_are_named(tmp_path, compiler):
    attributes = [attribute("stride", [2, 2]), attribute("pad", [1, 1, 1, 1])]
    found = refusal(model("Conv", "x,", attributes=attributes), tmp_path)
    assert found.count("error: node 'a' (Conv-11) ") == 3 and "'stride'" in found and "'pad'" in found and "input 1" in found


def test_names_that_onnx_reserves_for_tools_are_passed_over(tmp_path, compiler):
    accepted, messages = import_model(model("Relu", attributes=[attribute("__note", "made by a tool")]), tmp_path)
    assert accepted, messages


def test_optional_inputs_may_be_left_out(tmp_path, compiler):
    for op, inputs, opset in (("Clip", "x,,s", 17), ("Conv", "x,w,", 22), ("Clip", "x", 13)):
        accepted, messages = import_model(model(op, inputs, opset=opset), tmp_path)
        assert accepted, messages


def in_function(node, attributes=(), defaults=(), **call):
    """A model that calls a function of one node on x."""
    made = helper.make_function("local", "F", ["a"], ["b"], [node], [helper.make_opsetid("", 17)], list(attributes), list(defaults))
    graph = helper.make_graph([helper.make_node("F", ["x"], ["y"], "call", domain="local", **call)], "g",
                              [helper.make_tensor_value_info("x", F32, [2, 3])], [helper.make_empty_tensor_value_info("y")])
    return helper.make_model(graph, ir_version=8, functions=[made],
                             opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])


def reference(op, name, source, kind):
    node = helper.make_node(op, ["a"], ["b"], "inner")
    node.attribute.add(name=name, ref_attr_name=source, type=kind)
    return node


INT, FLOAT = onnx.AttributeProto.INT, onnx.AttributeProto.FLOAT


@pytest.mark.parametrize("made, message", [
    (in_function(helper.make_node("Softmax", ["a"], ["b"], "inner", axes=0)),
     "node 'call/inner' (Softmax-13) has the attribute 'axes', which the op does not have; did you mean 'axis'?"),
    (in_function(reference("Softmax", "axis", "which", INT), ["which"], whch=0),
     "node 'call' (local.F) has the attribute 'whch', which the function does not have; did you mean 'which'?"),
    (in_function(reference("Softmax", "axis", "whch", INT), ["which"], which=0),
     "node 'call/inner' (Softmax) takes its attribute 'axis' from 'whch', which the function does not have; did you mean 'which'?"),
    (in_function(reference("Softmax", "axis", "which", INT), ["which"], which=0.5),
     "node 'call/inner' (Softmax-13) has the attribute 'axis' with a value of another type; it is an int: correct its type"),
    (in_function(reference("Cast", "to", "which", INT), ["which"]),
     "node 'call/inner' (Cast-13) lacks the attribute 'to', an int; give it one"),
])
def test_functions(made, message, tmp_path, compiler):
    assert message in refusal(made, tmp_path)


def test_a_reference_needs_a_function(tmp_path, compiler):
    made = model("Softmax")
    made.graph.node[0].attribute.add(name="axis", ref_attr_name="which", type=INT)
    found = refusal(made, tmp_path)
    assert "node 'a' (Softmax) takes its attribute 'axis' from 'which' of a function, but is in none; give it a value" in found


def test_branches(tmp_path, compiler):
    infos = [helper.make_tensor_value_info("x", F32, [2, 3]), helper.make_tensor_value_info("c", TensorProto.BOOL, [])]
    branches = [helper.make_graph([helper.make_node("Softmax", ["x"], [name], name, **given)], name, [],
                                  [helper.make_tensor_value_info(name, F32, [2, 3])])
                for name, given in (("t", dict(axis=0)), ("e", dict(axs=1)))]
    node = helper.make_node("If", ["c"], ["y"], "if", then_branch=branches[0], else_branch=branches[1])
    graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info("y", F32, [2, 3])])
    found = refusal(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), tmp_path)
    assert "node 'e' (Softmax-13) has the attribute 'axs', which the op does not have; did you mean 'axis'?" in found
