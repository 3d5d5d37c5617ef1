"""Programs of TensorFlow and Keras beside TensorFlow on the CPU."""

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import qcc  # noqa: E402
import qcc.tensorflow  # noqa: E402

RANDOM = np.random.default_rng(0)


def assert_near(got, want):
    tf.nest.assert_same_structure(got, want)
    for actual, expected in zip(tf.nest.flatten(got), tf.nest.flatten(want)):
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


def test_founding_layer():
    w = tf.constant(RANDOM.integers(-127, 128, (256, 128), dtype=np.int8))
    b = tf.constant(RANDOM.normal(size=128).astype(np.float32))

    @tf.function(jit_compile=True)
    def linear(x, s):
        y = tf.matmul(x, w, output_type=tf.int32)
        y = tf.nn.relu(tf.nn.bias_add(tf.cast(y, tf.float32), b))
        return tf.cast(tf.clip_by_value(tf.round(y / s), -128.0, 127.0), tf.int8)

    x, s = tf.constant(RANDOM.integers(-127, 128, (33, 256), dtype=np.int8)), tf.constant(500.0)
    np.testing.assert_array_equal(qcc.tensorflow.compile(linear, x, s)(x, s).numpy(), linear(x, s).numpy())


def test_variables_and_structures():
    v = tf.Variable(RANDOM.random((4, 3), dtype=np.float32))

    def f(x, d):
        return {"y": tf.matmul(x, v) + d["b"], "u": tf.cast(x, tf.uint8)}, tf.reduce_sum(x)

    args = (RANDOM.random((2, 4), dtype=np.float32) * 9, {"b": np.ones(3, np.float32), "unused": np.ones(1, np.float32)})
    program = qcc.tensorflow.compile(f, *args)
    assert_near(program(*args), f(*args))
    with pytest.raises(qcc.InvalidArgumentError, match="another structure"):
        program(args[0], args[1]["b"])


def test_refusals():
    with pytest.raises(qcc.UnsupportedError, match="a size that is not known"):
        qcc.tensorflow.compile(tf.nn.relu, tf.TensorSpec((None, 4)))
    with pytest.raises(qcc.UnsupportedError, match="does not write the function as StableHLO"):
        qcc.tensorflow.compile(tf.strings.as_string, np.ones(3, np.float32))


def networks():
    layers = tf.keras.layers
    image = tf.keras.Sequential([
        layers.Input((32, 32, 3)), layers.Conv2D(16, 3, padding="same", strides=2), layers.BatchNormalization(),
        layers.ReLU(6.0), layers.DepthwiseConv2D(3, padding="same"), layers.Conv2D(32, 1), layers.MaxPooling2D(),
        layers.Conv2DTranspose(8, 3, strides=2), layers.GlobalAveragePooling2D(), layers.Dense(5, activation="softmax")])
    yield image, RANDOM.random((2, 32, 32, 3), dtype=np.float32)
    text = tf.keras.Sequential([
        layers.Input((10,), dtype="int32"), layers.Embedding(50, 16), layers.GRU(12), layers.Dense(3)])
    yield text, RANDOM.integers(0, 50, (2, 10)).astype(np.int32)


def test_keras():
    for model, x in networks():
        assert_near(qcc.tensorflow.compile(model, x)(x), tf.convert_to_tensor(model(x)))
