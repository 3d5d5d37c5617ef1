"""Models of TensorFlow Lite beside its interpreter."""

import io

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import qcc  # noqa: E402
import qcc.tflite  # noqa: E402

RANDOM = np.random.default_rng(0)
layers = tf.keras.layers


def model_of(make, shape):
    image = tf.keras.Input(batch_shape=shape)
    return tf.keras.Model(image, make(image))


def mobile(x):
    x = layers.ReLU(6.0)(layers.BatchNormalization()(layers.Conv2D(16, 3, strides=2, padding="same")(x)))
    x = layers.ReLU(6.0)(layers.DepthwiseConv2D(3, padding="same")(x))
    x = layers.Add()([x, layers.Conv2D(16, 1)(x)])
    return layers.Softmax()(layers.Dense(10)(layers.GlobalAveragePooling2D()(layers.MaxPooling2D()(x))))


def segmentation(x):
    x = layers.LeakyReLU()(layers.Conv2DTranspose(8, 3, strides=2)(x))
    x = layers.Concatenate()([x, x * 2])
    return layers.Activation("sigmoid")(layers.Conv2D(3, 1)(x))


def convert(model, shape, kind=None, low=0.0):
    """A .tflite model: of floats, or quantized with inputs and outputs of `kind`, for inputs from `low` to 1."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if kind is not None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([RANDOM.uniform(low, 1, shape).astype(np.float32)] for _ in range(10))
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = kind
    return converter.convert()


def run(model, x):
    interpreter = tf.lite.Interpreter(model_content=model, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


@pytest.mark.parametrize("make, shape", [(mobile, (1, 32, 32, 3)), (segmentation, (1, 12, 12, 4))])
@pytest.mark.parametrize("kind", [tf.int8, tf.uint8])
def test_quantized(make, shape, kind):
    """Every bit of TFLite's reference kernels."""
    model = convert(model_of(make, shape), shape, kind)
    function = qcc.tflite.compile(model, threads=1)
    for _ in range(3):
        info = np.iinfo(kind.as_numpy_dtype)
        x = RANDOM.integers(info.min, info.max, shape, info.dtype, endpoint=True)
        np.testing.assert_array_equal(function(x), run(model, x))


@pytest.mark.parametrize("low", [0.0, -0.3, -1.0, -20.0])
def test_quantization_of_floats_saturates(low):
    """Also where the zero point is not 0 and inputs are outside of the range that the model was calibrated for."""
    shape = (1, 8)
    model = convert(model_of(layers.Dense(4), shape), shape, tf.float32, low)
    function = qcc.tflite.compile(model, threads=1)
    for value in (0.0, 0.5, 1.2, -0.2, 30.0, -30.0, 1e6, -1e6):
        x = np.full(shape, value, np.float32)
        np.testing.assert_array_equal(function(x), run(model, x), str(value))
    for sign in (1, -1):  # TFLite converts such floats to int32, which C++ does not define.
        far = [function(np.full(shape, sign * value, np.float32)) for value in (1e6, 3e9, 1e30, np.inf)]
        np.testing.assert_array_equal(far, [far[0]] * 4)


def test_quantization_behind_a_layer_of_floats_saturates():
    """TFLite computes this convolution in float, and quantizes its result."""
    shape = (1, 4, 5, 6, 2)
    model = convert(model_of(layers.Conv3D(3, 2), shape), shape, tf.int8)
    function = qcc.tflite.compile(model, threads=1)
    for value in (-128, 127):
        x = np.full(shape, value, np.int8)
        np.testing.assert_array_equal(function(x), run(model, x))
    x = RANDOM.integers(-128, 127, shape, np.int8, endpoint=True)
    got, want = function(x), run(model, x)
    assert np.abs(got.astype(int) - want).max() <= 1  # sums of floats in another order


def test_casts_of_the_model_wrap():
    class Cast(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec((1, 4))])
        def __call__(self, x):
            return tf.cast(tf.cast(x * 2.5, tf.int32) + 3, tf.int8)

    module = Cast()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([module.__call__.get_concrete_function()], module)
    model = converter.convert()
    x = np.array([[1.2, -3.3, 100.0, -100.0]], np.float32)
    np.testing.assert_array_equal(qcc.tflite.compile(model, threads=1)(x), module(x))


def test_floats_and_dynamic_batch():
    model = convert(tf.keras.Sequential([layers.Input((32, 32, 3)), layers.Lambda(lambda x: x), layers.Conv2D(8, 3),
                                         layers.GlobalAveragePooling2D(), layers.Dense(4), layers.Softmax()]), None)
    function = qcc.tflite.compile(io.BytesIO(model).getvalue(), threads=1)
    for rows in (1, 3):
        x = RANDOM.random((rows, 32, 32, 3), dtype=np.float32)
        want = np.concatenate([run(model, x[i:i + 1]) for i in range(rows)])
        np.testing.assert_allclose(function(x), want, rtol=1e-4, atol=1e-6)


def test_variables():
    """A model that adds up its inputs."""
    class Sum(tf.Module):
        def __init__(self):
            self.sum = tf.Variable(np.full((1, 4), 0.5, np.float32))

        @tf.function(input_signature=[tf.TensorSpec((1, 4))])
        def __call__(self, x):
            self.sum.assign(self.sum + x)
            return self.sum * 2.0

    module = Sum()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([module.__call__.get_concrete_function()], module)
    converter.experimental_enable_resource_variables = True
    model = qcc.tflite.compile(converter.convert(), threads=1)
    x = np.arange(4, dtype=np.float32).reshape(1, 4)
    for _ in range(2):
        for step in (1, 2, 3):
            np.testing.assert_array_equal(model(x), 2 * (model.initial_state[0] + step * x))
        model.reset()


def model_of_function(function, *shape):
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec(shape))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
    return converter.convert()


@pytest.mark.parametrize("function", [
    lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (0, x))[1], lambda x: tf.scatter_nd([[0], [3]], x, [5, 8]),
    lambda x: tf.one_hot(tf.argmax(x, 1), 8)])
def test_loops_and_scattered_elements(function):
    model = model_of_function(function, 2, 8)
    x = RANDOM.standard_normal((2, 8)).astype(np.float32)
    np.testing.assert_array_equal(qcc.tflite.compile(model, threads=1)(x), run(model, x))


@pytest.mark.parametrize("layer", [layers.LSTM(3), layers.GRU(3)])
def test_rolled_recurrences(layer):
    model = convert(model_of(layer, (1, 6, 4)), (1, 6, 4))
    x = RANDOM.standard_normal((1, 6, 4)).astype(np.float32)
    np.testing.assert_allclose(qcc.tflite.compile(model, threads=1)(x), run(model, x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [lambda x: tf.math.top_k(x, 3)[0], lambda x: tf.math.floormod(x, 3.0)])
def test_exact_floats(function):
    model = model_of_function(function, 2, 8)
    x = RANDOM.standard_normal((2, 8)).astype(np.float32)
    np.testing.assert_array_equal(qcc.tflite.compile(model, threads=1)(x), run(model, x))


def test_refused_op():
    model = model_of_function(lambda x: tf.sparse.to_dense(tf.sparse.from_dense(x)), 2, 8)
    with pytest.raises(qcc.InvalidProgramError, match="^the model: error: op 'WHERE' of '[^']+' is not supported; qcc ops --tflite"):
        qcc.tflite.compile(model)


def test_refusals(tmp_path):
    with pytest.raises(qcc.NotFoundError, match="none.tflite"):
        qcc.tflite.compile(tmp_path / "none.tflite")
    with pytest.raises(qcc.InvalidProgramError, match="the model is damaged"):
        qcc.tflite.compile(b"    TFL3 is in no place of this")
