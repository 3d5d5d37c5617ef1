"""Programs of PyTorch beside eager PyTorch."""

import re
import subprocess

import numpy
import pytest
from conftest import BUILD, ROOT

torch = pytest.importorskip("torch")

import qcc  # noqa: E402
import qcc.torch  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)
    with torch.no_grad():
        yield


def layers(inner=32):
    return torch.nn.Sequential(torch.nn.Linear(256, inner), torch.nn.ReLU(), torch.nn.Linear(inner, 64)).eval()


def assert_near(got, want, tolerance=1e-5):
    assert torch.linalg.vector_norm(got - want) <= tolerance * torch.linalg.vector_norm(want)


@pytest.mark.parametrize("dynamic", [None, True])
def test_several_batch_sizes(dynamic):
    """After the second size torch.compile makes it symbolic; with dynamic=True it is from the start."""
    model = layers()
    compiled = torch.compile(model, backend="qcc", dynamic=dynamic, options={"threads": 1})
    for rows in (3, 5, 9):
        x = torch.randn(rows, 256)
        assert_near(compiled(x), model(x))


def test_sizes_are_numbers_of_the_program():
    def f(x):
        return x.reshape(x.shape[0] * x.shape[1], -1).sum(0) / x.shape[1], x.shape[0] * 2

    compiled = torch.compile(f, backend="qcc", dynamic=True)
    for shape in ((3, 4, 5), (6, 2, 5)):
        x = torch.randn(shape)
        got, number = compiled(x)
        want, expected = f(x)
        assert_near(got, want)
        assert number == expected and isinstance(number, int)


@pytest.mark.parametrize("options", [{}, {"norm_first": True}, {"activation": "gelu"}])
def test_encoder_layer(options):
    layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, **options).eval()
    x = torch.randn(2, 7, 32)
    assert_near(torch.compile(layer, backend="qcc")(x), layer(x))


@pytest.mark.parametrize("masks", [("src_mask",), ("src_key_padding_mask",), ("src_mask", "src_key_padding_mask")], ids=str)
def test_encoder_layer_with_masks(masks):
    layer, x = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval(), torch.randn(2, 7, 32)
    given = {"src_mask": torch.ones(7, 7).triu(1).bool(), "src_key_padding_mask": torch.arange(7) >= torch.tensor([[7], [4]])}
    given = {name: given[name] for name in masks}
    assert_near(torch.compile(layer, backend="qcc")(x, **given)[:, :4], layer(x, **given)[:, :4])


def test_pool_of_threads():
    """Programs share the threads of a pool, and each has fewer of its own."""
    model, x, pool = layers(), torch.randn(64, 256), qcc.ThreadPool(2)
    assert_near(torch.compile(model, backend="qcc", options={"pool": pool})(x), model(x))
    exported = torch.export.export(model, (x,))
    assert_near(qcc.torch.compile(exported, pool=pool)(x), model(x))
    with pytest.raises(qcc.InvalidArgumentError, match="threads"):
        qcc.torch.compile(exported, pool=pool, threads=3)(x)


def test_unknown_option():
    with pytest.raises(Exception, match="there is no option 'thread'; the options are 'target', 'threads', 'pool'"):
        torch.compile(layers(), backend="qcc", options={"thread": 1})(torch.randn(2, 256))


def test_exported_program_is_a_program():
    model, x = layers(), torch.randn(2, 256)
    function = qcc.compile(torch.export.export(model, (x,))).function(threads=1)
    assert_near(torch.from_dlpack(function(x)), model(x))


def contractions(explanation):
    """What each contraction is computed by, such as "integer contraction"."""
    steps = [step for step in explanation.steps if "contraction" in step.work]
    assert all(step.atom for step in steps), explanation
    return {step.work for step in steps}


def run_and_check(model, x, folder):
    """What `qcc run --check` gives, which compares with the reference bit for bit."""
    (folder / "model.onnx").write_bytes(model)
    numpy.save(folder / "x.npy", x.numpy())
    done = subprocess.run([str(BUILD / "bin" / "qcc"), "run", str(folder / "model.onnx"), f"--input={folder / 'x.npy'}",
                           f"--output={folder / 'y.npy'}", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return torch.from_numpy(numpy.load(folder / "y.npy"))


def check(program, x, want, work, tolerance, folder):
    """An exported program: near to what PyTorch computes, equal to the reference, and computed by this kind of kernel."""
    model = qcc.torch.to_onnx(program)
    explanation = qcc.explain(model)
    assert contractions(explanation) == {work}, explanation
    got = qcc.torch.compile(program, threads=1)(x)
    assert_near(got, want, tolerance)
    assert torch.equal(got, run_and_check(model, x, folder))
    return explanation


def torchao_configs():
    """Name, config, kind of kernel, distance to torchao's floats, and the greatest number of bytes for a weight of the first layer."""
    q = pytest.importorskip("torchao.quantization")
    from torchao.quantization.granularity import PerAxis, PerGroup, PerTensor
    from torchao.quantization.quant_primitives import MappingType
    int4, asymmetric = torch.int4, MappingType.ASYMMETRIC
    integer, floating = "integer contraction", "float contraction"
    dynamic = q.Int8DynamicActivationIntxWeightConfig
    return {
        "int8 weights": (q.Int8WeightOnlyConfig(), floating, 2e-6, 1.25),
        "int8 weights of intx": (q.IntxWeightOnlyConfig(), floating, 2e-6, 1.25),
        "int4 weights in groups": (q.IntxWeightOnlyConfig(weight_dtype=int4, granularity=PerGroup(32)), floating, 2e-6, 0.75),
        "int4 weights with zero points": (q.IntxWeightOnlyConfig(weight_dtype=int4, granularity=PerGroup(64), mapping_type=asymmetric),
                                          floating, 2e-6, 0.75),
        "int8 dynamic": (q.Int8DynamicActivationInt8WeightConfig(), integer, 1e-6, 2.25),
        "int8 dynamic per tensor": (q.Int8DynamicActivationInt8WeightConfig(granularity=PerTensor()), integer, 1e-6, 2.25),
        "int8 dynamic asymmetric": (q.Int8DynamicActivationInt8WeightConfig(act_mapping_type=asymmetric), integer, 1e-6, 2.25),
        "int8 dynamic, int4 in groups": (dynamic(weight_dtype=int4), integer, 1e-6, 0.75),
        "int8 dynamic, int4 with zero points": (dynamic(weight_dtype=int4, weight_mapping_type=asymmetric), integer, 1e-6, 0.75),
        "int8 dynamic, int4 in rows": (dynamic(weight_dtype=int4, weight_granularity=PerAxis(0)), integer, 1e-6, 1.25),
        "int8 dynamic, int8 in groups": (dynamic(), integer, 1e-6, 2.25),
    }


TORCHAO = ["int8 weights", "int8 weights of intx", "int4 weights in groups", "int4 weights with zero points", "int8 dynamic",
           "int8 dynamic per tensor", "int8 dynamic asymmetric", "int8 dynamic, int4 in groups",
           "int8 dynamic, int4 with zero points", "int8 dynamic, int4 in rows", "int8 dynamic, int8 in groups"]


@pytest.mark.parametrize("name", TORCHAO)
def test_torchao(name, tmp_path):
    """Rows and weights of few bits are multiplied as integers, weights alone are widened where they are read."""
    config, work, tolerance, weight_bytes = torchao_configs()[name]
    model, x = layers(1024), torch.randn(8, 256)
    quantize(model, config)
    want = model(x)
    explanation = check(torch.export.export(model, (x,)), x, want, work, tolerance, tmp_path)
    # The weight of the second layer fits in a cache, where kernels prefer floats.
    assert explanation.artifact_bytes < weight_bytes * 1024 * 256 + 4 * 1024 * 64 + 64 * 1024
    assert_near(torch.compile(model, backend="qcc", options={"threads": 1})(x), want, tolerance)


def test_all_configs_of_torchao():
    assert sorted(torchao_configs()) == sorted(TORCHAO)


def quantize(model, config):
    pytest.importorskip("torchao.quantization").quantize_(model, config)


@pytest.mark.parametrize("name", ["int4 weights in groups", "int8 dynamic", "int8 dynamic, int4 in groups"])
def test_torchao_with_dynamic_sizes(name, tmp_path):
    config, work, tolerance, _ = torchao_configs()[name]
    model, any_size = layers(128), torch.export.Dim.DYNAMIC
    quantize(model, config)
    program = torch.export.export(model, (torch.randn(2, 5, 256),), dynamic_shapes=({0: any_size, 1: any_size},))
    for shape in ((3, 7, 256), (1, 1, 256)):
        x = torch.randn(shape)
        check(program, x, model(x), work, tolerance, tmp_path)
    x = torch.randn(1, 9, 256)
    check(torch.export.export(model, (x,)), x, model(x), work, tolerance, tmp_path)


def test_blocks_that_no_kernel_has():
    pytest.importorskip("torchao.quantization")

    class Blocks(torch.nn.Module):
        def forward(self, x):
            return torch.ops.torchao.dequantize_affine(x, [2, 4], torch.ones(2, 2), None, torch.int8)

    program = torch.export.export(Blocks(), (torch.zeros(4, 8, dtype=torch.int8),))
    with pytest.raises(qcc.UnsupportedError, match=r"a tensor of \[4, 8\] elements has parameters for blocks of \[2, 4\]; take"):
        qcc.torch.compile(program)


class Convolutions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.BatchNorm2d(16)
        self.second, self.last = torch.nn.Conv2d(16, 16, 3, padding=1, groups=16), torch.nn.Linear(16, 10)

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        return self.last((y + torch.relu(self.second(y))).mean((2, 3)))


def convert_pt2e(model, x, **options):
    """A model that PyTorch 2's export has quantized for CPUs."""
    pt2e = pytest.importorskip("torchao.quantization.pt2e.quantize_pt2e")
    import torchao.quantization.pt2e.quantizer.x86_inductor_quantizer as x86
    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config(**options))
    prepared = pt2e.prepare_pt2e(torch.export.export(model, (x,), strict=True).module(), quantizer)
    prepared(x)
    return pt2e.convert_pt2e(prepared)


#: Padding of a zero point that is known at run time has no kernel, so convolutions are static.
@pytest.mark.parametrize("model, shape, options", [
    (layers, (8, 256), {}), (layers, (8, 256), {"reduce_range": True}), (layers, (8, 256), {"is_dynamic": True}),
    (Convolutions, (2, 3, 16, 16), {}), (Convolutions, (2, 3, 16, 16), {"reduce_range": True})], ids=str)
def test_pt2e(model, shape, options, tmp_path):
    model, x = model().eval(), torch.randn(shape)
    converted = convert_pt2e(model, x, **options)
    # Values outside of the calibrated range saturate.
    x = 3 * x
    want = converted(x)
    check(torch.export.export(converted, (x,)), x, want, "integer contraction", 1e-2, tmp_path)
    assert_near(torch.compile(converted, backend="qcc", options={"threads": 1})(x), want, 1e-2)


def test_generate():
    """Prefill and steps of a decoder whose cache grows."""
    transformers = pytest.importorskip("transformers")
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=200, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=128)).eval()
    ids = torch.randint(0, 200, (1, 7))
    want = model.generate(ids, max_new_tokens=12, do_sample=False)
    model.forward = torch.compile(model.forward, backend="qcc", dynamic=True)
    assert torch.equal(model.generate(ids, max_new_tokens=12, do_sample=False), want)


def test_ops_that_are_not_known():
    """The op is named, and how to leave it out."""
    class Eigenvalues(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.eigvalsh(x)

    message = r"No ONNX function found for .*aten\._linalg_eigh.*; compute that op outside of the program \(torch.compiler.disable\)"
    with pytest.raises(qcc.UnsupportedError, match=message):
        qcc.torch.compile(torch.export.export(Eigenvalues(), (torch.eye(4),)))
    with pytest.raises(Exception, match=message):
        torch.compile(Eigenvalues(), backend="qcc")(torch.eye(4))


def test_program_of_the_page():
    """The blocks of docs/HowTo/ImportPyTorch.md, as one program."""
    pytest.importorskip("torchao.quantization")
    page = (ROOT / "docs" / "HowTo" / "ImportPyTorch.md").read_text(encoding="utf-8")
    names = {}
    exec("".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)), names)
    assert contractions(qcc.explain(names["program"])) == {"integer contraction"}
