"""Programs of PyTorch beside eager PyTorch."""

import pytest

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


@pytest.mark.parametrize("config", ["Int8DynamicActivationInt8WeightConfig", "Int8WeightOnlyConfig"])
def test_torchao(config):
    torchao = pytest.importorskip("torchao.quantization")
    model, x = layers(512), torch.randn(8, 256)
    torchao.quantize_(model, getattr(torchao, config)())
    assert_near(qcc.torch.compile(torch.export.export(model, (x,)), threads=1)(x), model(x))


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
