"""Small ONNX networks, and models that one change makes of them: of an attribute, an input, a type, a shape."""

import dataclasses

import numpy as np
import onnx
import onnx.parser
from onnx import AttributeProto, TensorProto, helper, numpy_helper

F32, I64, U8, I8 = np.float32, np.int64, np.uint8, np.int8


def network(opset, inputs, outputs, nodes, functions="", **constants):
    """A model of ONNX's text, whose values have declared types and shapes."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : {opset}, "com.microsoft" : 1, "local" : 1]>
        net ({inputs}) => ({outputs}) {{ {nodes} }} {functions}""")
    random = np.random.default_rng(5)
    for name, value in constants.items():
        array = random.uniform(-1, 1, value).astype(F32) if isinstance(value, tuple) else value
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return onnx.shape_inference.infer_shapes(model)


def images():
    return network(17, "float[1, 3, 16, 16] x", "float[1, 10] y", """
        [conv] a = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2], group = 1>(x, w, b)
        [norm] n = BatchNormalization<epsilon = 0.001>(a, s, s, s, v)
        [leak] r = LeakyRelu<alpha = 0.2>(n)
        [pool] p = MaxPool<kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 0>(r)
        [depth] d = Conv<group = 8, dilations = [1, 1], auto_pad = "SAME_UPPER">(p, dw)
        [relu] e = Relu(d)
        [average] g = GlobalAveragePool(e)
        [flat] f = Flatten<axis = 1>(g)
        [gemm] h = Gemm<alpha = 1.0, transB = 1>(f, m, k)
        [soft] y = Softmax<axis = -1>(h)""",
                   w=(8, 3, 3, 3), b=(8,), s=(8,), v=np.ones(8, F32), dw=(8, 1, 3, 3), m=(10, 8), k=(10,))


def quantized():
    bytes_ = np.arange(-27, 27).reshape(2, 3, 3, 3).astype(I8)
    return network(13, "float[N, 3, 8, 8] x", "float[N, 2, 4, 4] y", """
        [q] a = QuantizeLinear(x, s, z)
        [dq] b = DequantizeLinear(a, s, z)
        [dw] v = DequantizeLinear<axis = 0>(w, t)
        [conv] c = Conv<pads = [1, 1, 1, 1], kernel_shape = [3, 3]>(b, v)
        [clip] d = Clip(c, low, high)
        [q2] e = QuantizeLinear(d, s, z)
        [dq2] f = DequantizeLinear(e, s, z)
        [add] g = Add(f, f)
        [pool] y = AveragePool<kernel_shape = [2, 2], strides = [2, 2], count_include_pad = 1>(g)""",
                   s=np.array(0.05, F32), z=np.array(3, U8), t=np.full(2, 0.01, F32), w=bytes_,
                   low=np.array(0, F32), high=np.array(6, F32))


def attention():
    return network(17, "float[2, 4, 8] x, int64[2, 4] ids", "float[2, 4, 8] y, float[2, 8] z", """
        [gather] e = Gather<axis = 0>(table, ids)
        [sum] a = Add(x, e)
        [norm] n = LayerNormalization<axis = -1, epsilon = 0.00001>(a, scale, bias)
        [project] m = MatMul(n, w)
        [split] q, k, v = Split<axis = -1>(m, thirds)
        [heads] r = Reshape<allowzero = 0>(q, shape)
        [turn] t = Transpose<perm = [0, 2, 1, 3]>(r)
        [keys] u = Reshape(k, shape)
        [turn2] o = Transpose<perm = [0, 2, 3, 1]>(u)
        [scores] p = MatMul(t, o)
        [zero] c = Constant<value_float = 0.5>()
        [scaled] i = Mul(p, c)
        [weights] j = Softmax<axis = 3>(i)
        [values] l = Reshape(v, shape)
        [turn3] vv = Transpose<perm = [0, 2, 1, 3]>(l)
        [mixed] mm = MatMul(j, vv)
        [back] bb = Transpose<perm = [0, 2, 1, 3]>(mm)
        [join] ff = Reshape(bb, flat)
        [gate] gg = Sigmoid(ff)
        [cast] ii = Cast<to = 1>(ids)
        [un] jj = Unsqueeze(ii, two)
        [less] kk = Less(jj, c)
        [pick] y = Where(kk, ff, gg)
        [mean] z = ReduceMean<axes = [1], keepdims = 0>(y)""",
                   table=(16, 8), scale=(8,), bias=(8,), w=(8, 24), thirds=np.array([8, 8, 8], I64),
                   shape=np.array([0, 0, 2, 4], I64), flat=np.array([0, 0, -1], I64), two=np.array([2], I64))


def recurrent():
    return network(17, "float[5, 2, 3] x", "float[5, 2, 8] y, float[1, 2, 6] h", """
        [lstm] a, b, c = LSTM<hidden_size = 4, direction = "bidirectional">(x, w, r, bias)
        [turn] t = Transpose<perm = [0, 2, 1, 3]>(a)
        [join] y = Reshape(t, shape)
        [gru] , h = GRU<hidden_size = 6, linear_before_reset = 1>(x, gw, gr)""",
                   w=(2, 16, 3), r=(2, 16, 4), bias=(2, 32), gw=(1, 18, 3), gr=(1, 18, 6), shape=np.array([5, 2, 8], I64))


def integers():
    return network(18, "float[4, 16] x", "float[4, 8] y, int64[4, 3] i, float[4, 8] o, float[4, 8] sums", """
        [quantize] q, s, z = DynamicQuantizeLinear(x)
        [product] p = MatMulInteger(q, w, z)
        [float] f = Cast<to = 1>(p)
        [factor] g = Mul(s, t)
        [scaled] y = Mul(f, g)
        [top] v, i = TopK<axis = -1, largest = 1, sorted = 1>(y, three)
        [best] b = ArgMax<axis = 1, keepdims = 0>(y)
        [hot] o = OneHot<axis = -1>(b, depth, values)
        [cum] sums = CumSum<exclusive = 1, reverse = 0>(y, axis)""",
                   w=np.arange(128).reshape(16, 8).astype(I8), t=np.array(0.1, F32), three=np.array([3], I64),
                   depth=np.array(8, I64), values=np.array([0, 1], F32), axis=np.array(1, I64))


def pictures():
    return network(19, "float[1, 4, 6, 6] x", "float[1, 1, 24, 24] y, float[1, 4, 3, 6] c", """
        [norm] n = InstanceNormalization<epsilon = 0.00001>(x, s, s)
        [slope] p = PRelu(n, a)
        [up] u = ConvTranspose<kernel_shape = [2, 2], strides = [2, 2], group = 1>(p, w)
        [pad] d = Pad<mode = "reflect">(u, pads)
        [crop] r = Slice(d, starts, ends, axes)
        [blocks] b = DepthToSpace<blocksize = 2, mode = "CRD">(r)
        [resize] y = Resize<mode = "linear", coordinate_transformation_mode = "half_pixel">(b, , , sizes)
        [part] e = Slice(x, starts, three, axes)
        [act] f = HardSigmoid<alpha = 0.2, beta = 0.5>(e)
        [tile] t = Tile(f, once)
        [cat] j = Concat<axis = 2>(t, t)
        [reduce] k = ReduceSum<keepdims = 1>(j, axes)
        [max] m = Max(k, t)
        [gelu] c = Elu<alpha = 1.0>(m)""",
                   s=(4,), a=(4, 1, 1), w=(4, 4, 2, 2), pads=np.array([0, 0, 1, 1, 0, 0, 1, 1], I64), starts=np.array([0], I64),
                   ends=np.array([12], I64), axes=np.array([2], I64), sizes=np.array([1, 1, 24, 24], I64),
                   three=np.array([3], I64), once=np.array([1, 1, 1, 1], I64))


def contributed():
    """Ops of com.microsoft, which ONNX's checker does not know."""
    return network(17, "uint8[2, 8] x, uint8[2, 8] v, float[2, 8] f", "uint8[2, 8] y, float[2, 4] g, float[2, 8] n", """
        [add] a = com.microsoft.QLinearAdd(x, s, z, v, s, z, s, z)
        [soft] y = com.microsoft.QLinearSoftmax<axis = 1, opset = 13>(a, s, z, s, z)
        [gemm] p = com.microsoft.FusedGemm<activation = "Relu", transB = 1>(f, w, b)
        [gelu] g = com.microsoft.Gelu(p)
        [norm] n = com.microsoft.SkipLayerNormalization<epsilon = 0.00001>(f, f, k)""",
                   s=np.array(0.05, F32), z=np.array(3, U8), w=(4, 8), b=(4,), k=(8,))


def branching():
    return network(17, "float[2, 3] x, bool c", "float[2, 3] y", """
        [call] t = local.Scale<by = 2>(x)
        [if] y = If<then_branch = soft () => (float[2, 3] p) { [soft] p = Softmax<axis = 1>(t) },
                    else_branch = elu () => (float[2, 3] q) { [elu] q = Elu<alpha = 0.5>(t) }>(c)""", """
        <opset_import: ["" : 17], domain: "local">
        Scale <by> (a) => (b) {
            [constant] f = Constant<value_int: int = @by>()
            [wide] g = Cast<to = 1>(f)
            [mul] b = Mul(a, g)
        }""")


NETWORKS = [images, quantized, attention, recurrent, integers, pictures, contributed, branching]


# Changes

@dataclasses.dataclass
class Mutant:
    model: onnx.ModelProto
    change: str
    #: Whether no op takes it, whatever a checker says.
    is_certain: bool = False


OTHER_VALUES = [1, 2.5, "text", [1, 2], [0.5], ["a"], numpy_helper.from_array(np.float32([1]))]


def all_nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from all_nodes(attribute.g)


class Mutator:
    def __init__(self, model, seed):
        self.random = np.random.default_rng(seed)
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.nodes = list(all_nodes(self.model.graph))
        for function in self.model.functions:
            self.nodes += function.node
        self.is_certain = False

    def choose(self, items):
        items = list(items)
        return items[int(self.random.integers(len(items)))] if items else None

    def misspelt(self, name):
        at = int(self.random.integers(len(name)))
        return self.choose([name + "s", name[:-1], name[:at] + name[at + 1:], name.upper(), name + "_" + name, "x"]) or "x"

    def node_with_attribute(self):
        node = self.choose(node for node in self.nodes if node.attribute)
        return node, self.choose(node.attribute) if node else None

    # Each returns what it did, or None where it could not do it.

    def rename_attribute(self):
        node, attribute = self.node_with_attribute()
        if not node:
            return None
        old, attribute.name = attribute.name, self.misspelt(attribute.name)
        known = {a.name for a in node.attribute}
        self.is_certain = attribute.name != old and len(known) == len(node.attribute)
        return f"{node.name}: attribute {old} is {attribute.name}"

    def retype_attribute(self):
        node, attribute = self.node_with_attribute()
        if not node:
            return None
        value = self.choose(OTHER_VALUES)
        changed = helper.make_attribute(attribute.name, value)
        self.is_certain = changed.type != attribute.type
        attribute.CopyFrom(changed)
        return f"{node.name}: attribute {attribute.name} is {value if not isinstance(value, TensorProto) else 'a tensor'}"

    def relabel_attribute(self):
        node, attribute = self.node_with_attribute()
        if not node:
            return None
        kind = int(self.random.integers(0, 9))
        self.is_certain = kind != attribute.type
        attribute.type = kind
        return f"{node.name}: attribute {attribute.name} says it has type {kind}"

    def remove_attribute(self):
        node, attribute = self.node_with_attribute()
        if not node:
            return None
        name = attribute.name
        node.attribute.remove(attribute)
        return f"{node.name}: no attribute {name}"

    def duplicate_attribute(self):
        node, attribute = self.node_with_attribute()
        if not node:
            return None
        node.attribute.add().CopyFrom(attribute)
        self.is_certain = True
        return f"{node.name}: attribute {attribute.name} twice"

    def add_attribute(self):
        node = self.choose(self.nodes)
        name = self.choose(["axis", "axes", "alpha", "perm", "to", "kernel_shape", "note", "pads"])
        if name in {a.name for a in node.attribute}:
            return None
        node.attribute.append(helper.make_attribute(name, self.choose(OTHER_VALUES)))
        return f"{node.name}: attribute {name} is new"

    def remove_input(self):
        node = self.choose(node for node in self.nodes if node.input)
        at = int(self.random.integers(len(node.input)))
        del node.input[at]
        return f"{node.name}: no input {at}"

    def leave_out_input(self):
        node = self.choose(node for node in self.nodes if node.input)
        at = int(self.random.integers(len(node.input)))
        node.input[at] = ""
        return f"{node.name}: input {at} is left out"

    def add_input(self):
        node = self.choose(node for node in self.nodes if node.input)
        count = int(self.random.integers(1, 3))
        node.input.extend([""] * (count - 1) + [self.choose(node.input)])
        return f"{node.name}: {count} more inputs"

    def replace_input(self):
        node = self.choose(node for node in self.nodes if node.input)
        at = int(self.random.integers(len(node.input)))
        names = [t.name for t in self.model.graph.initializer] + [v.name for v in self.model.graph.input]
        names += [out for other in self.model.graph.node for out in other.output if out]
        node.input[at] = self.choose(names + ["nothing"])
        return f"{node.name}: input {at} is {node.input[at]}"

    def change_outputs(self):
        node = self.choose(self.nodes)
        if self.random.integers(2):
            node.output.append("surplus")
            return f"{node.name}: one more output"
        at = int(self.random.integers(len(node.output)))
        node.output[at] = ""
        return f"{node.name}: output {at} is left out"

    def change_op(self):
        node = self.choose(self.nodes)
        old, node.op_type = node.op_type, self.choose(["Relu", "Add", "Concat", "Softmax", "Transpose", "Conv", "Cast", "Convv"])
        return f"{node.name}: {old} is {node.op_type}"

    def declare(self, info, what):
        """Changes the type or the shape that a value is declared with."""
        tensor = info.type.tensor_type
        change = int(self.random.integers(4))
        if change == 0:
            tensor.elem_type = int(self.choose([1, 2, 3, 6, 7, 9, 10, 11]))
            return f"{what} {info.name} has type {tensor.elem_type}"
        dims = tensor.shape.dim
        if change == 1 or not dims:
            dims.add().dim_value = int(self.choose([1, 2]))
            return f"{what} {info.name} has one more dimension"
        at = int(self.random.integers(len(dims)))
        if change == 2:
            del dims[at]
            return f"{what} {info.name} has no dimension {at}"
        dims[at].dim_value = int(self.choose([1, 2, 3, 5, 7, 64]))
        return f"{what} {info.name} has the size {dims[at].dim_value} in dimension {at}"

    def change_output(self):
        return self.declare(self.choose(self.model.graph.output), "the output")

    def change_input(self):
        return self.declare(self.choose(self.model.graph.input), "the input")

    def change_inner(self):
        info = self.choose(self.model.graph.value_info)
        return self.declare(info, "the value") if info else None

    def change_constant(self):
        tensor = self.choose(self.model.graph.initializer)
        if tensor is None:
            return None
        name, array = tensor.name, numpy_helper.to_array(tensor)
        change = int(self.random.integers(4))
        if change == 0:
            array = array.astype(self.choose([np.float32, np.int64, np.int32, np.float64, np.uint8, np.int8, np.float16, bool]))
        elif change == 1:
            array = array[None]
        elif change == 2:
            array = array.reshape(-1)
        else:
            array = np.concatenate([np.atleast_1d(array)] * 2)
        tensor.CopyFrom(numpy_helper.from_array(array, name))
        return f"the constant {name} is {array.dtype} {list(array.shape)}"

    CHANGES = [rename_attribute, rename_attribute, retype_attribute, retype_attribute, relabel_attribute, remove_attribute,
               duplicate_attribute, add_attribute, remove_input, leave_out_input, add_input, replace_input, change_outputs,
               change_op, change_output, change_output, change_input, change_inner, change_constant, change_constant]


def mutant(model, seed):
    """The model with one change, which the seed chooses."""
    mutator = Mutator(model, seed)
    change = None
    while change is None:
        change = mutator.choose(Mutator.CHANGES)(mutator)
    return Mutant(mutator.model, change, mutator.is_certain)
