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


def test_arguments_that_it_was_compiled_for():
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    for args in ((x[::2], 2.0), (np.asfortranarray(x), 3), (x.astype(np.uint32)[:, ::-1], np.uint32(2)), (x.astype(np.int32), 2)):
        def f(x, s):
            return x * tf.cast(s, x.dtype)

        assert_near(qcc.tensorflow.compile(f, *args)(*args), f(*args))


def test_none_among_results():
    def f(x):
        return None, {"y": x + 1, "none": None}, x * 2

    x = np.ones(3, np.float32)
    nothing, first, second = qcc.tensorflow.compile(f, x)(x)
    assert nothing is None and first["none"] is None
    assert_near([first["y"], second], [tf.constant(x + 1), tf.constant(x * 2)])


def test_tables_are_refused():
    """TensorFlow itself ends the process."""
    values = tf.lookup.KeyValueTensorInitializer([1, 5], [10, 50], tf.int64, tf.int64)
    static = tf.lookup.StaticHashTable(values, -1)
    mutable = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    x = np.array([1, 5, 9], np.int64)
    nested = tf.function(lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: static.lookup(x), lambda: x))
    for f in (static.lookup, mutable.lookup, tf.keras.layers.IntegerLookup(vocabulary=[3, 4]), nested):
        with pytest.raises(qcc.UnsupportedError, match="uses a lookup table .op 'LookupTableFindV2'.*; compute this op before"):
            qcc.tensorflow.compile(f, x)


def test_assignments_are_refused():
    speed = tf.Variable(np.ones(3, np.float32), name="speed")
    inner = tf.function(speed.assign_add)

    def if_positive(x):
        if tf.reduce_sum(x) > 0:
            speed.assign(x)
        return x

    def loop(x):
        for _ in tf.range(3):
            speed.assign_sub(x)
        return x

    x = np.ones(3, np.float32)
    for f in (speed.assign_add, lambda x: inner(x) * 2, if_positive, loop):
        with pytest.raises(qcc.UnsupportedError, match="changes the variable 'speed' .*; return the new value as a result"):
            qcc.tensorflow.compile(f, x)
    generator = tf.random.Generator.from_seed(1)
    with pytest.raises(qcc.UnsupportedError, match="changes the variable 'StateVar' .op 'RngReadAndSkip'."):
        qcc.tensorflow.compile(lambda x: x + generator.normal((3,)), x)
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
    with pytest.raises(qcc.UnsupportedError, match="uses a resource that is not a variable .op 'ReduceDataset'"):
        qcc.tensorflow.compile(lambda x: x + numbers.reduce(0.0, lambda a, b: a + b), x)


def test_variables_are_read_in_branches_and_loops():
    v = tf.Variable(RANDOM.random((5, 3), dtype=np.float32))

    def f(x):
        for _ in tf.range(3):
            x = x + v[0]
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x * v[1], lambda: x) + tf.gather(v, [2])

    x = np.ones((1, 3), np.float32)
    assert_near(qcc.tensorflow.compile(f, x)(x), f(x))


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
