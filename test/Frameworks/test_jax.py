"""Programs of JAX beside XLA on the CPU: integers are equal, floats within a bound.

QCC_JAX_SEEDS says how many programs are drawn; docs/Testing.md has the command for 2,000.
"""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import jax_ops
import qcc
import qcc.jax

SEEDS = int(os.environ.get("QCC_JAX_SEEDS") or 10 * len(jax_ops.GENERATORS))
SHARDS = 8


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def assert_near(got, want, what=""):
    """Floats: 8 ulps of the result and 4 of the greatest one, since sums have another order (N8)."""
    got, want = jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want)
    assert len(got) == len(want), what
    for actual, expected in zip(got, want):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), what
        a, e = np.asarray(actual), np.asarray(expected)
        if a.dtype.kind in "iub":
            same = a == e
        else:
            eps = float(jnp.finfo(actual.dtype).eps)
            a, e = a.astype(np.float64), e.astype(np.float64)
            greatest = np.abs(e[np.isfinite(e)]).max(initial=1)
            with np.errstate(all="ignore"):
                same = (a == e) | (np.isnan(a) & np.isnan(e)) | (np.abs(a - e) <= eps * (8 * np.abs(e) + 4 * min(greatest, 1e3)))
        assert np.all(same), f"{what}: {np.sum(~same)} of {a.size} differ, first {a[~same][:1]}, expected {e[~same][:1]}"


@pytest.mark.parametrize("shard", range(SHARDS))
def test_drawn_programs(shard):
    failures = []
    for seed in range(shard, SEEDS, SHARDS):
        function, args, what = jax_ops.draw(seed)
        want = jax.jit(function)(*args)
        try:
            assert_near(qcc.jax.compile(function, *args)(*args), want, f"seed {seed}, {what}")
        except (AssertionError, qcc.Error) as error:
            failures.append(f"seed {seed}, {what}: {error}")
    assert not failures, f"{len(failures)} of {SEEDS // SHARDS} programs:\n" + "\n".join(failures)


def test_symbolic_batch():
    w = np.linspace(-1, 1, 16 * 32, dtype=np.float32).reshape(16, 32)

    def f(x):
        return jax.nn.softmax(jnp.concatenate([x @ w, jnp.ones((x.shape[0], 4), x.dtype)], 1).reshape(x.shape[0], -1))

    batch, = export.symbolic_shape("batch")
    program = qcc.jax.compile(f, jax.ShapeDtypeStruct((batch, 16), jnp.float32))
    for rows in (1, 3, 8):
        x = np.random.default_rng(rows).standard_normal((rows, 16), np.float32)
        assert_near(program(x), f(x))


def test_exported(tmp_path):
    def f(x):
        return {"y": jnp.sin(x) * 2, "n": jnp.sum(x > 0)}

    exported = export.export(jax.jit(f))(jax.ShapeDtypeStruct((3, 5), jnp.float32))
    (tmp_path / "f.bin").write_bytes(exported.serialize())
    x = np.random.default_rng(0).standard_normal((3, 5), np.float32)
    for source in (exported, bytes(exported.serialize()), tmp_path / "f.bin"):
        assert_near(qcc.jax.load_exported(source)(x), f(x))


def test_jit_keeps_structures_and_weights():
    @qcc.jax.jit
    def g(d, scale=1.0):
        return {"y": d["x"] * scale + d["b"], "z": (d["x"].sum(),)}

    for shape in ((2, 3), (4, 3)):
        d = {"x": jnp.ones(shape, jnp.float32), "b": jnp.arange(3, dtype=jnp.float32)}
        assert_near(g(d, scale=jnp.float32(2)), {"y": d["x"] * 2 + d["b"], "z": (d["x"].sum(),)})
    layer = qcc.jax.jit(lambda p, x: x @ p["w"] + p["b"], weights=(0,))
    for factor in (1, 2):  # other weights are another program
        p = {"w": jnp.full((4, 3), factor, jnp.float32), "b": jnp.ones(3, jnp.float32)}
        x = jnp.ones((2, 4), jnp.float32)
        assert_near(layer(p, x), x @ p["w"] + p["b"])


def test_another_structure_is_refused():
    program = qcc.jax.compile(lambda d: d["x"] + 1, {"x": jnp.ones(3)})
    with pytest.raises(qcc.InvalidArgumentError, match="have the structure"):
        program(jnp.ones(3))


def test_refusals_name_the_line():
    with pytest.raises(qcc.InvalidProgramError, match=r"test_jax\.py:\d+:\d+: error: '[a-z.]+' computes complex numbers"):
        qcc.jax.compile(lambda x: jnp.fft.fft(x).real, jnp.ones(8, jnp.float32))


@pytest.mark.parametrize("result", [jnp.int32, jnp.float32, jnp.int8])
@pytest.mark.parametrize("layout", [("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW"), ("NHWC", "OHWI", "NHWC")])
def test_founding_convolution(result, layout):
    r = np.random.default_rng(0)
    sizes = {"N": 1, "H": 14, "W": 14, "C": 64}
    x = r.integers(-128, 128, [sizes[letter] for letter in layout[0]], np.int8)
    w = r.integers(-128, 128, [{"H": 3, "W": 3, "I": 64, "O": 32}[letter] for letter in layout[1]], np.int8)

    def f(x):
        kind = jnp.int32 if result == jnp.int8 else result
        y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layout, preferred_element_type=kind)
        return y if result != jnp.int8 else jnp.clip(y >> 8, -128, 127).astype(jnp.int8)

    np.testing.assert_array_equal(np.asarray(qcc.jax.compile(f, x)(x)), np.asarray(jax.jit(f)(x)))


def test_flax_network():
    nn = pytest.importorskip("flax.linen")

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.Conv(16, (3, 3))(x))
            x = nn.avg_pool(x, (2, 2), (2, 2))
            x = nn.relu(nn.Conv(32, (3, 3), feature_group_count=4)(x))
            x = nn.max_pool(x, (2, 2), (2, 2))
            x = nn.BatchNorm(use_running_average=True)(x)
            x = x.reshape((x.shape[0], -1, 32))
            y = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(4)(y, y)
            x = nn.RNN(nn.LSTMCell(8))(x)
            return nn.Dense(10)(nn.gelu(x[:, -1]))

    x = np.random.default_rng(0).standard_normal((2, 16, 16, 1), np.float32)
    network = Network()
    variables = network.init(jax.random.PRNGKey(0), x)
    program = qcc.jax.compile(network.apply, variables, x, weights=(0,))
    np.testing.assert_allclose(np.asarray(program(x)), np.asarray(network.apply(variables, x)), rtol=1e-4, atol=1e-5)


def test_exported_program_is_a_program():
    exported = export.export(jax.jit(lambda x: x * 2 + 1))(jax.ShapeDtypeStruct((3,), jnp.float32))
    y = qcc.compile(exported).function()(np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(y, [1, 3, 5])


KERAS = """
import numpy as np, keras, qcc.jax
layers = keras.layers
model = keras.Sequential([layers.Input((16,)), layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax")])
model.quantize("int8")
x = np.random.default_rng(0).standard_normal((4, 16), np.float32)
weights = [[v.value for v in variables] for variables in (model.trainable_variables, model.non_trainable_variables)]
program = qcc.jax.compile(lambda a, b, x: model.stateless_call(a, b, x)[0], *weights, x, weights=(0, 1), threads=1)
np.testing.assert_allclose(np.asarray(program(x)), np.asarray(model(x)), rtol=1e-5, atol=1e-6)
"""


def test_keras_quantized():
    """Keras on JAX, in a process of its own: a process has one backend of Keras."""
    pytest.importorskip("keras")
    environment = dict(os.environ, KERAS_BACKEND="jax", PYTHONPATH=os.pathsep.join(sys.path[:2]))
    done = subprocess.run([sys.executable, "-c", KERAS], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
