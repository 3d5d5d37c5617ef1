"""The models that are measured: weights, inputs, programs and ONNX twins.

Weights are random, of magnitudes for which the quantized values fill their ranges and do
not leave them.
"""

import os
import pathlib

import numpy

from . import network_twin, networks, program, real_program
from .twin import Form, Quantized, Twin

SEED = 7
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"


class Model:
    """A model whose program is in docs/examples.

    tolerance: how much results may differ. Roundings of biases, of scales and of float
        functions do; anything else would be seen.
    inputs, outputs: their names in ONNX, where input() and results are lists; None of a model that
        has one of each.
    options: further ones of `qcc compile`.
    """

    name = ""
    program = ""
    tolerance = 0.02
    inputs = outputs = None
    options = ()

    def __init__(self):
        self.random = numpy.random.default_rng(SEED)
        self.weights = {}

    def programs(self, folder):
        """Files of equivalent programs, of which qcc gets its fastest: {form: path}."""
        return {"": str(EXAMPLES / self.program)}

    def real_program(self):
        """The program as an importer writes it, with its weights; None where there is no other."""
        return

    def program_form(self, form):
        """The program that the twin of this form is equivalent to."""
        return ""

    def library_input(self, x):
        """The program's input as the twin has it."""
        return x

    def program_result(self, y):
        """The twin's result as the program has it."""
        return y

    def integers(self, name, *shape):
        self.weights[name] = self.random.integers(-127, 128, shape, dtype=numpy.int8)

    def floats(self, name, low, high, *shape):
        self.weights[name] = self.random.uniform(low, high, shape).astype(numpy.float32)

    def input(self):
        raise NotImplementedError

    def forms(self):
        """The ways to write the twin, of which each library gets its fastest."""
        raise NotImplementedError

    def twin(self, form):
        raise NotImplementedError


class Mlp(Model):
    """Two linear layers, 512 -> 2048 -> 512, float at both ends."""

    name = "mlp"
    program = "mlp_f32.mlir"

    def __init__(self, batch=10240):
        super().__init__()
        self.batch = batch
        self.integers("w1", 2048, 512)
        self.floats("w1_scale", 0.1, 0.3, 2048)
        self.floats("b1", -500, 500, 2048)
        self.integers("w2", 512, 2048)
        self.floats("w2_scale", 0.0025, 0.0075, 512)
        self.floats("b2", -50, 50, 512)

    def input(self):
        return self.random.uniform(-4, 4, (self.batch, 512)).astype(numpy.float32)

    def forms(self):
        return [Form(unsigned=u, drop_relu=d) for u in (True, False) for d in (True, False)
                if u or not d]

    def twin(self, form):
        w = self.weights
        # The program's h is int8 with zero point 0 after a relu, 0 to 127. As uint8 it
        # has the same values and needs no relu.
        h = Quantized(33.0, unsigned=form.drop_relu)
        twin = Twin(form)
        x = twin.quantize(twin.input("x", (self.batch, 512)), Quantized(0.03125))
        y = twin.relu(twin.linear(x, w["w1"], w["w1_scale"], w["b1"]), h)
        y = twin.linear(twin.quantize(y, h), w["w2"], w["w2_scale"], w["b2"])
        twin.output(y, (self.batch, 512))
        return twin


class Encoder(Model):
    """A transformer encoder layer: 128 tokens, 768 wide, 12 heads, feed-forward 3072."""

    name = "encoder"
    program = "encoder.mlir"
    TOKENS, WIDTH, HEADS, INNER = 128, 768, 12, 3072

    def __init__(self):
        super().__init__()
        for projection in "qkvo":
            self.integers("w" + projection, self.WIDTH, self.WIDTH)
            self.floats("b" + projection, -0.5, 0.5, self.WIDTH)
        self.integers("wi", self.INNER, self.WIDTH)
        self.floats("bi", -0.5, 0.5, self.INNER)
        self.integers("wd", self.WIDTH, self.INNER)
        self.floats("bd", -0.5, 0.5, self.WIDTH)
        for norm in "12":
            self.floats("gamma" + norm, 0.5, 1.5, self.WIDTH)
            self.floats("beta" + norm, -0.5, 0.5, self.WIDTH)

    def input(self):
        shape = (self.TOKENS, self.WIDTH)
        return self.random.uniform(-2, 2, shape).astype(numpy.float32)

    def forms(self):
        return [Form(unsigned=u, signed_rhs=s, fused_ops=f) for u in (True, False)
                for s in (True, False) for f in (True, False) if u or not s]

    def _heads(self, twin, x, name, q, permutation, signed):
        """A projection, quantized and split into heads."""
        w = self.weights
        flat = twin.linear(x, w["w" + name], 4e-4, w["b" + name])
        split = twin.constant(
            numpy.array([self.TOKENS, self.HEADS, self.WIDTH // self.HEADS], numpy.int64))
        value = twin.move("Reshape", twin.quantize(flat, q, signed), split)
        return twin.move("Transpose", value, perm=permutation)

    def _norm(self, twin, value, number):
        w = self.weights
        return twin.op("LayerNormalization", value, twin.constant(w["gamma" + number]),
                       twin.constant(w["beta" + number]), axis=-1, epsilon=1e-12)

    def _gelu(self, twin, value):
        if twin.form.fused_ops:
            return twin.op("Gelu", value)

        def scalar(number):
            return twin.constant(numpy.float32(number))

        erf = twin.op("Erf", twin.op("Div", value, scalar(2 ** 0.5)))
        product = twin.op("Mul", value, twin.op("Add", erf, scalar(1)))
        return twin.op("Mul", product, scalar(0.5))

    def twin(self, form):
        w, shape = self.weights, (self.TOKENS, self.WIDTH)
        activation = Quantized(0.03)
        twin = Twin(form)
        x_real = twin.input("x", shape)
        x = twin.quantize(x_real, activation)
        q = self._heads(twin, x, "q", Quantized(0.025), [1, 0, 2], False)
        k = self._heads(twin, x, "k", Quantized(0.026), [1, 2, 0], form.signed_rhs)
        v = self._heads(twin, x, "v", Quantized(0.024), [1, 0, 2], form.signed_rhs)
        scores = twin.op("MatMul", twin.dequantize(q), twin.dequantize(k))
        scaled = twin.op("Mul", scores, twin.constant(numpy.float32(0.125)))
        softmax = twin.op("Softmax", scaled, axis=-1)
        p = twin.quantize(softmax, Quantized(3.921569e-3, unsigned=True))
        context = twin.op("MatMul", twin.dequantize(p), twin.dequantize(v))
        c = twin.quantize(context, Quantized(0.01))
        c = twin.move("Transpose", c, perm=[1, 0, 2])
        c = twin.move("Reshape", c, twin.constant(numpy.array(shape, numpy.int64)))
        attention = twin.linear(c, w["wo"], 4e-4, w["bo"])
        normal = self._norm(twin, twin.op("Add", x_real, attention), "1")
        inner = twin.linear(twin.quantize(normal, activation), w["wi"], 3e-4, w["bi"])
        f = twin.quantize(self._gelu(twin, inner), Quantized(0.019, 9, unsigned=True))
        outer = twin.linear(f, w["wd"], 3e-4, w["bd"])
        twin.output(self._norm(twin, twin.op("Add", normal, outer), "2"), shape)
        return twin


class Network(Model):
    """A convolution network. Its program is in NHWC, its twin in NCHW."""

    # Each layer of a network with random weights makes differences larger: a sum that is not
    # quantized before it rounds once less. The results of other weights differ by more than 1.
    tolerance = 0.6

    def __init__(self, name, seed=SEED, **options):
        super().__init__()
        self.name = name
        self.net = {**networks.NETWORKS, **networks.DEEPER_NETWORKS}[name](seed=seed, **options)
        self.texts = {"": program.Program(self.net)}
        if any(form.bytes for form in self.forms()):
            self.texts["bytes"] = program.Program(self.net, bytes=True)
        self.weights = self.texts[""].weights

    def input(self):
        return self.net.image[None]

    def programs(self, folder):
        paths = {}
        for form, text in self.texts.items():
            name = f"{self.name}-{form}" if form else self.name
            paths[form] = os.path.join(folder, name + ".mlir")
            with open(paths[form], "w", encoding="utf-8") as file:
                file.write(text.text)
        return paths

    def forms(self):
        return network_twin.forms(self.net)

    def twin(self, form):
        return network_twin.NetworkTwin(self.net, form)

    def real_program(self):
        if not real_program.supports(self.net):
            return None
        return real_program.RealProgram(self.net)

    def program_form(self, form):
        return "bytes" if form.bytes else ""

    def library_input(self, x):
        return numpy.ascontiguousarray(numpy.moveaxis(x, -1, 1))

    def program_result(self, y):
        return numpy.moveaxis(y, 1, -1)


NAMES = (Mlp.name, Encoder.name, *networks.NETWORKS)


def make(name, batch=None, size=None, **options):
    """A model; `batch` is for the MLP, the others are for networks."""
    if name == Mlp.name:
        return Mlp(batch) if batch else Mlp()
    if name == Encoder.name:
        return Encoder()
    return Network(name, **({"size": size} if size else {}), **options)
