"""Weights of GPTQ, AWQ and compressed-tensors beside numpy, which packs them by their formulas."""

import numpy
import pytest

torch = pytest.importorskip("torch")

import qcc  # noqa: E402
import qcc.torch  # noqa: E402

N, K, GROUP = 64, 256, 32


class Model(torch.nn.Module):
    def __init__(self, bias=True):
        super().__init__()
        self.norm, self.layer = torch.nn.LayerNorm(K), torch.nn.Linear(K, N, bias)

    def forward(self, x):
        return self.layer(self.norm(x))


def pack(integers, bits, axis):
    """Integers as words of 32 bits along an axis, lowest bits first."""
    moved = numpy.moveaxis(integers.astype(numpy.uint64), axis, -1)
    fields = moved.reshape(*moved.shape[:-1], -1, 32 // bits) << (numpy.arange(32 // bits, dtype=numpy.uint64) * numpy.uint64(bits))
    return torch.from_numpy(numpy.ascontiguousarray(numpy.moveaxis(fields.sum(-1).astype(numpy.uint32).view(numpy.int32), -1, axis)))


class Weight:
    """Integers [N, K] and zero points [N, groups] of `bits` bits, scales, and the group of each input."""

    def __init__(self, bits, group_of=None, least_zero=0):
        rng = numpy.random.default_rng(bits)
        self.bits, self.group_of = bits, numpy.arange(K) // GROUP if group_of is None else group_of
        self.q = rng.integers(0, 2**bits, (N, K))
        self.z = rng.integers(least_zero, 2**bits, (N, K // GROUP))
        self.s = rng.uniform(0.01, 0.1, (N, K // GROUP)).astype(numpy.float16)
        self.bias = rng.normal(0, 1, N).astype(numpy.float32)

    def real(self):
        """[N, K] in float64."""
        return (self.q - self.z[:, self.group_of]) * self.s.astype(numpy.float64)[:, self.group_of]

    def gptq(self):
        tensors = {"qweight": pack(self.q.T, self.bits, 0), "qzeros": pack((self.z.T - 1) % 2**self.bits, self.bits, 1),
                   "scales": torch.from_numpy(self.s.T.copy()), "g_idx": torch.from_numpy(self.group_of.astype(numpy.int32))}
        return {f"layer.{name}": tensor for name, tensor in tensors.items()}

    def awq(self):
        """Bits 4 i to 4 i + 3 of a word are column order[i] of its 8."""
        order = [0, 2, 4, 6, 1, 3, 5, 7]

        def turned(integers):
            return integers.T.reshape(integers.shape[1], -1, 8)[:, :, order].reshape(integers.shape[1], -1)

        return {"layer.qweight": pack(turned(self.q), 4, 1), "layer.qzeros": pack(turned(self.z), 4, 1),
                "layer.scales": torch.from_numpy(self.s.T.copy())}

    def compressed(self, symmetric=False):
        tensors = {"weight_packed": pack(self.q, self.bits, 1), "weight_scale": torch.from_numpy(self.s.copy()),
                   "weight_shape": torch.tensor([N, K])}
        if not symmetric:
            tensors["weight_zero_point"] = pack(self.z, self.bits, 0)
        return {f"layer.{name}": tensor for name, tensor in tensors.items()}


def check(weight, tensors):
    """The compiled model is near to float64, and keeps 4 or 8 bits of each weight."""
    tensors = {**tensors, "layer.bias": torch.from_numpy(weight.bias), "norm.weight": torch.rand(K) + 0.5, "norm.bias": torch.rand(K)}
    model = Model().eval()
    rest = qcc.torch.load_quantized(model, tensors)
    assert sorted(rest) == ["norm.bias", "norm.weight"]
    model.load_state_dict(rest, strict=False)
    x = torch.randn(3, K)
    with torch.no_grad():
        program = torch.export.export(model, (x,))
        y = model.norm(x).double().numpy()
        compiled = torch.compile(model, backend="qcc", options={"threads": 1})(x)
    exact = y @ weight.real().T + weight.bias
    for got in (qcc.torch.compile(program, threads=1)(x), compiled):
        assert numpy.abs(got.numpy() - exact).max() <= 2e-6 * numpy.abs(exact).max()
    (step,) = [step for step in qcc.explain(program).steps if "contraction" in step.work]
    assert step.atom
    return qcc.explain(program)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("order", ["sequential", "by chance"])
def test_gptq(bits, order):
    group_of = numpy.random.default_rng(0).permutation(numpy.arange(K) // GROUP) if order == "by chance" else None
    check(Weight(bits, group_of), Weight(bits, group_of).gptq())


def test_awq():
    check(Weight(4), Weight(4).awq())


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("symmetric", [False, True])
def test_compressed_tensors(bits, symmetric):
    weight = Weight(bits)
    if symmetric:
        weight.z = numpy.full_like(weight.z, 2 ** (bits - 1))
    check(weight, weight.compressed(symmetric))


def test_halves_as_a_bias():
    """Checkpoints of float16 give float32 models their biases."""
    weight = Weight(4, least_zero=1)
    model = Model()
    qcc.torch.load_quantized(model, {**weight.gptq(), "layer.bias": torch.from_numpy(weight.bias).half()})
    assert model.layer.bias.dtype == torch.float32
    assert model(torch.randn(2, K)).shape == (2, N)


def test_a_layer_of_two_names():
    weight, model = Weight(4, least_zero=1), Model()
    model.other = model.layer
    qcc.torch.load_quantized(model, weight.gptq())
    assert model.other is model.layer and not isinstance(model.layer, torch.nn.Linear)


def test_one_scale_and_no_order_of_compressed_tensors():
    weight, model = Weight(4), Model()
    tensors = {**weight.compressed(symmetric=True), "layer.weight_scale": torch.tensor([0.25]),
               "layer.weight_g_idx": torch.full((K,), -1, dtype=torch.int32)}
    qcc.torch.load_quantized(model, tensors)
    x = torch.randn(2, K)
    expected = x.double().numpy() @ (0.25 * (weight.q - 8)).T + model.layer.bias.detach().double().numpy()
    numpy.testing.assert_allclose(model.layer(x).detach().numpy(), expected, rtol=1e-4, atol=1e-3)


def test_packing_of_compressed_tensors():
    """The oracle packs as the package compressed-tensors does."""
    helpers = pytest.importorskip("compressed_tensors.compressors.pack_quantized.helpers")
    weight = Weight(4)
    assert torch.equal(helpers.pack_to_int32(torch.from_numpy(weight.q - 8).to(torch.int8), 4), weight.compressed()["layer.weight_packed"])
    packed = helpers.pack_to_int32(torch.from_numpy(weight.z - 8).to(torch.int8), 4, packed_dim=0)
    assert torch.equal(packed, weight.compressed()["layer.weight_zero_point"])


@pytest.mark.parametrize("change, error, message", [
    ({"layer.qweight": torch.zeros(24, N, dtype=torch.int32)}, qcc.UnsupportedError,
     "'layer.qweight' has 24 words for 256 elements, which are neither 4 nor 8 bits each; take a checkpoint of 4 or 8 bits"),
    ({"layer.qweight": torch.zeros(7, 9, dtype=torch.int32)}, qcc.InvalidArgumentError, "neither that of GPTQ nor that of AWQ for 64 outputs"),
    ({"layer.scales": None}, qcc.InvalidArgumentError, "'layer.qweight' has no 'layer.scales' beside it; give all tensors of the layer"),
    ({"layer.scales": torch.ones(3, N)}, qcc.InvalidArgumentError, "64, 256. elements, .64, 3. scales and .64, 8. zero points"),
    ({"layer.g_idx": torch.zeros(K, dtype=torch.int32)}, qcc.UnsupportedError, "'layer' has groups of different sizes; take a checkpoint"),
])
def test_refusals(change, error, message):
    tensors = {name: tensor for name, tensor in {**Weight(4).gptq(), **change}.items() if tensor is not None}
    with pytest.raises(error, match=message):
        qcc.torch.load_quantized(Model(), tensors)
