"""The networks: what people export, small, with random weights.

Each function returns a float model. Sizes that are dynamic have names.
"""

import numpy

from .graph import INT64, Graph

#: The sizes of dynamic dimensions of these names in three turns; others are any number.
SIZES = {"height": (32, 64, 96), "width": (32, 96, 64), "samples": (64, 192, 640)}


def mlp():
    g = Graph()
    x = g.input("x", ["batch", 96])
    for inner, outer in ((96, 160), (160, 65)):
        x = g.node("Relu", g.gemm(x, inner, outer))
    g.output(g.node("Softmax", g.gemm(x, 65, 10)), "y")
    return g.model()


def heads(g, x, count, size, keys=False):
    """[batch, rows, count * size] to [batch, count, rows, size], or with the last two exchanged."""
    split = g.node("Reshape", x, [0, 0, count, size])
    return g.node("Transpose", split, perm=[0, 2, 3, 1] if keys else [0, 2, 1, 3])


def attend(g, q, k, v, bias, count, size):
    scores = g.node("Div", g.node("MatMul", q, k), size ** 0.5)
    if bias:
        scores = g.node("Add", scores, bias)
    mixed = g.node("Transpose", g.node("MatMul", g.node("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    return g.node("Reshape", mixed, [0, 0, count * size])


def encoder():
    """A layer of BERT, with a mask."""
    g, (count, size, inner) = Graph(1), (4, 16, 128)
    width = count * size
    ids = g.input("input_ids", ["batch", "sequence"], INT64)
    mask = g.input("attention_mask", ["batch", "sequence"], INT64)
    real = g.node("Cast", g.node("Unsqueeze", mask, [1, 2]), to=1)
    bias = g.node("Mul", g.node("Sub", 1.0, real), -10000.0)
    x = g.node("Gather", g.weight(120, width, fan=1), ids)
    places = g.node("Slice", g.constant(numpy.arange(512)[None]), [0], g.size(ids, 1), [1])
    x = g.layer_norm(g.node("Add", x, g.node("Gather", g.weight(512, width, fan=1), places)), width)
    q, k, v = (heads(g, g.linear(x, width, width), count, size, keys=i == 1) for i in range(3))
    x = g.layer_norm(g.node("Add", x, g.linear(attend(g, q, k, v, bias, count, size), width, width)), width)
    x = g.layer_norm(g.node("Add", x, g.linear(g.gelu(g.linear(x, width, inner)), inner, width)), width)
    first = g.node("Gather", x, 0, axis=1)
    g.output(x, "last_hidden_state")
    g.output(g.node("Tanh", g.gemm(first, width, width)), "pooler_output")
    return g.model()


def rms_norm(g, x, size):
    square = g.node("ReduceMean", g.node("Pow", x, 2.0), axes=[-1])
    return g.node("Mul", g.node("Div", x, g.node("Sqrt", g.node("Add", square, 1e-6))), numpy.ones(size) * 1.1)


def relative_bias(g, ids, count):
    """T5's: a table of buckets of distances, which grow with their logarithm."""
    rows = g.node("Squeeze", g.size(ids, 1), [0])
    places = g.node("Range", 0, rows, 1)
    distance = g.node("Sub", g.node("Unsqueeze", places, [0]), g.node("Unsqueeze", places, [1]))
    after = g.node("Mul", g.node("Cast", g.node("Greater", distance, 0), to=7), 16)
    far = g.node("Abs", distance)
    logarithm = g.node("Log", g.node("Div", g.node("Cast", far, to=1), 8.0))
    large = g.node("Add", g.node("Cast", g.node("Mul", g.node("Div", logarithm, numpy.log(16.0)), 8.0), to=7), 8)
    bucket = g.node("Add", after, g.node("Where", g.node("Less", far, 8), far, g.node("Min", large, 15)))
    table = g.node("Gather", g.weight(32, count, fan=1), bucket)
    return g.node("Unsqueeze", g.node("Transpose", table, perm=[2, 0, 1]), [0])


def t5():
    """A layer of the encoder of T5."""
    g, (count, size) = Graph(2), (4, 16)
    width = count * size
    ids = g.input("input_ids", ["batch", "sequence"], INT64)
    x = g.node("Gather", g.weight(120, width, fan=1), ids)
    bias = relative_bias(g, ids, count)
    y = rms_norm(g, x, width)
    q, k, v = (heads(g, g.node("MatMul", y, g.weight(width, width)), count, size, keys=i == 1) for i in range(3))
    scores = g.node("Add", g.node("MatMul", q, k), bias)
    mixed = g.node("Transpose", g.node("MatMul", g.node("Softmax", scores), v), perm=[0, 2, 1, 3])
    mixed = g.node("Reshape", mixed, [0, 0, width])
    x = g.node("Add", x, g.node("MatMul", mixed, g.weight(width, width)))
    y = g.node("Relu", g.node("MatMul", rms_norm(g, x, width), g.weight(width, 128)))
    x = g.node("Add", x, g.node("MatMul", y, g.weight(128, width)))
    g.output(rms_norm(g, x, width), "hidden")
    return g.model()


def decoder():
    """A step of a decoder with the keys and values of the steps before."""
    g, (count, size) = Graph(3), (4, 16)
    width = count * size
    ids = g.input("input_ids", ["batch", "sequence"], INT64)
    past = [g.input(name, ["batch", count, "past", size]) for name in ("past_key", "past_value")]
    x = g.node("Gather", g.weight(120, width, fan=1), ids)
    q, k, v = (heads(g, g.linear(rms_norm(g, x, width), width, width), count, size) for _ in range(3))
    k, v = (g.node("Concat", old, new, axis=2) for old, new in zip(past, (k, v)))
    new, all_ = (g.node("Squeeze", g.size(value, axis), [0]) for value, axis in ((ids, 1), (k, 2)))
    row = g.node("Add", g.node("Unsqueeze", g.node("Range", 0, new, 1), [1]), g.node("Sub", all_, new))
    seen = g.node("LessOrEqual", g.node("Unsqueeze", g.node("Range", 0, all_, 1), [0]), row)
    bias = g.node("Where", seen, 0.0, -1e9)
    mixed = attend(g, q, g.node("Transpose", k, perm=[0, 1, 3, 2]), v, bias, count, size)
    x = g.node("Add", x, g.linear(mixed, width, width))
    y = rms_norm(g, x, width)
    gate = g.node("Mul", g.silu(g.node("MatMul", y, g.weight(width, 128))), g.node("MatMul", y, g.weight(width, 128)))
    x = g.node("Add", x, g.node("MatMul", gate, g.weight(128, width)))
    g.output(g.node("MatMul", x, g.weight(width, 120)), "logits")
    g.output(k, "key")
    g.output(v, "value")
    return g.model()


def residual():
    """A classifier of images with shortcuts."""
    g = Graph(4)
    x = g.node("Relu", g.conv(g.input("image", ["batch", 3, 32, 32]), 3, 16, 7, 7, stride=2))
    x = g.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for inner, outer, stride in ((16, 16, 1), (16, 32, 2)):
        y = g.conv(g.node("Relu", g.conv(x, inner, outer, 3, 3, stride=stride)), outer, outer, 3, 3)
        x = g.conv(x, inner, outer, 1, 1, stride=stride) if inner != outer else x
        x = g.node("Relu", g.node("Add", y, x))
    x = g.node("Flatten", g.node("GlobalAveragePool", x))
    g.output(g.gemm(x, 32, 10), "logits")
    return g.model()


def mobile():
    """Inverted bottlenecks, with squeeze and excitation."""
    g = Graph(5)
    x = g.conv(g.input("image", ["batch", 3, 32, 32]), 3, 16, 3, 3, stride=2)
    x = g.node("HardSwish", x)
    for window, stride in ((3, 1), (5, 2)):
        y = g.node("Clip", g.conv(x, 16, 48, 1, 1), 0.0, 6.0)
        y = g.node("Clip", g.conv(y, 48, 48, window, window, groups=48, stride=stride), 0.0, 6.0)
        s = g.node("ReduceMean", y, axes=[2, 3], keepdims=1)
        s = g.node("HardSigmoid", g.conv(g.node("Relu", g.conv(s, 48, 12, 1, 1)), 12, 48, 1, 1), alpha=1 / 6)
        y = g.conv(g.node("Mul", y, s), 48, 16, 1, 1)
        x = g.node("Add", x, y) if stride == 1 else y
    x = g.node("AveragePool", x, kernel_shape=[8, 8])
    g.output(g.gemm(g.node("Reshape", x, [0, -1]), 16, 10), "logits")
    return g.model()


def detector():
    """Finds text in images: a pyramid whose levels are resized and joined."""
    g = Graph(6)
    x = g.node("Relu", g.conv(g.input("image", [1, 3, "height", "width"]), 3, 8, 3, 3, stride=2))
    levels = []
    for inner, outer in ((8, 16), (16, 24), (24, 32)):
        x = g.node("Relu", g.conv(x, inner, outer, 3, 3, stride=2))
        levels.append(g.conv(x, outer, 16, 1, 1))
    for i in (1, 0):
        up = g.node("Resize", levels[i + 1], None, [1.0, 1.0, 2.0, 2.0], mode="nearest",
                    coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        levels[i] = g.node("Add", levels[i], up)
    parts = [g.conv(level, 16, 8, 3, 3) for level in levels]
    parts = [parts[0]] + [g.node("Resize", part, None, [1.0, 1.0, scale, scale], mode="linear")
                          for part, scale in ((parts[1], 2.0), (parts[2], 4.0))]
    x = g.node("Relu", g.conv(g.node("Concat", *parts, axis=1), 24, 16, 3, 3))
    x = g.node("Relu", g.conv_transpose(x, 16, 16, 2, 2, stride=2))
    g.output(g.node("Sigmoid", g.conv_transpose(x, 16, 1, 2, 2, stride=2)), "map")
    return g.model()


def lstm(g, x, inner, hidden, **attributes):
    """[rows, batch, inner] to [rows, batch, 2 * hidden], in both directions."""
    operands = [x, g.weight(2, 4 * hidden, inner, fan=inner), g.weight(2, 4 * hidden, hidden, fan=hidden),
                g.constant(g.random.standard_normal((2, 8 * hidden)) * 0.1)]
    y = g.node("LSTM", *operands, hidden_size=hidden, direction="bidirectional", **attributes)
    return g.node("Reshape", g.node("Transpose", y, perm=[0, 2, 1, 3]), [0, 0, -1])


def recognizer():
    """Reads a line of text: convolutions, then two LSTM."""
    g = Graph(7)
    x = g.conv(g.input("image", ["batch", 3, 32, "width"]), 3, 16, 3, 3)
    x = g.node("MaxPool", g.node("Relu", x), kernel_shape=[2, 2], strides=[2, 2])
    x = g.node("MaxPool", g.node("LeakyRelu", g.conv(x, 16, 32, 3, 3)), kernel_shape=[16, 2], strides=[16, 2])
    x = g.node("Transpose", g.node("Squeeze", x, [2]), perm=[2, 0, 1])
    x = lstm(g, lstm(g, x, 32, 24), 48, 24)
    g.output(g.node("Softmax", g.linear(x, 48, 37), axis=2), "characters")
    return g.model()


def tagger():
    """Tags each character of a text, by GRU."""
    g, hidden = Graph(8), 32
    ids = g.input("text", ["batch", "sequence"], INT64)
    x = g.node("Transpose", g.node("Gather", g.weight(120, hidden, fan=1), ids), perm=[1, 0, 2])
    y = g.node("GRU", x, g.weight(2, 3 * hidden, hidden, fan=hidden), g.weight(2, 3 * hidden, hidden, fan=hidden),
               g.constant(g.random.standard_normal((2, 6 * hidden)) * 0.1), hidden_size=hidden, linear_before_reset=1,
               direction="bidirectional")
    y = g.node("Reshape", g.node("Transpose", y, perm=[2, 0, 1, 3]), [0, 0, -1])
    scores = g.linear(y, 2 * hidden, 12)
    g.output(g.node("LogSoftmax", scores, axis=-1), "scores")
    g.output(g.node("ArgMax", scores, axis=-1, keepdims=0), "tags", INT64)
    return g.model()


def adapt(g, x, style, channels):
    """Instance normalization whose scale and shift are those of a style."""
    both = g.node("Unsqueeze", g.gemm(style, 16, 2 * channels), [2])
    scale, shift = g.node("Split", both, outputs=2, axis=1)
    y = g.node("InstanceNormalization", x, numpy.ones(channels), numpy.zeros(channels))
    return g.node("Add", g.node("Mul", y, g.node("Add", scale, 1.0)), shift)


def vocoder():
    """Speech of phonemes: LSTM, then convolutions that make the signal longer."""
    g = Graph(9)
    ids, style = g.input("phonemes", [1, "length"], INT64), g.input("style", [1, 16])
    x = g.node("Transpose", g.node("Gather", g.weight(120, 32, fan=1), ids), perm=[1, 0, 2])
    x = g.node("Transpose", lstm(g, x, 32, 16), perm=[1, 2, 0])
    for inner, outer in ((32, 24), (24, 16)):
        x = g.conv_transpose(g.node("LeakyRelu", x, alpha=0.1), inner, outer, 4, stride=2)
        for dilation in (1, 3):
            y = adapt(g, x, style, outer)
            alpha = g.constant(numpy.abs(g.random.standard_normal((1, outer, 1))) + 0.5)
            wave = g.node("Pow", g.node("Sin", g.node("Mul", y, alpha)), 2.0)
            y = g.node("Add", y, g.node("Div", wave, alpha))
            x = g.node("Add", x, g.conv(y, outer, outer, 3, dilation=dilation))
    g.output(g.node("Tanh", g.conv(x, 16, 1, 7)), "audio")
    return g.model()


def listener():
    """Whether somebody speaks: magnitudes of a spectrum, convolutions, a step of LSTM with its state."""
    g, hidden = Graph(10), 32
    x = g.input("audio", ["batch", "samples"])
    state = g.input("state", [2, "batch", hidden])
    x = g.node("Unsqueeze", g.node("Pad", x, [0, 0, 0, 16], mode="reflect"), [1])
    x = g.node("Conv", x, g.weight(34, 1, 32, fan=32), strides=[16])
    real, imaginary = g.node("Split", x, outputs=2, axis=1)
    x = g.node("Sqrt", g.node("Add", g.node("Pow", real, 2.0), g.node("Pow", imaginary, 2.0)))
    x = g.node("Relu", g.conv(x, 17, 32, 3))
    x = g.node("Relu", g.conv(x, 32, hidden, 3, stride=2))
    x = g.node("Transpose", x, perm=[2, 0, 1])
    h, c = (g.node("Slice", state, [i], [i + 1], [0]) for i in range(2))
    y, h, c = g.node("LSTM", x, g.weight(1, 4 * hidden, hidden, fan=hidden), g.weight(1, 4 * hidden, hidden, fan=hidden),
                     g.constant(g.random.standard_normal((1, 8 * hidden)) * 0.1), None, h, c, outputs=3, hidden_size=hidden)
    x = g.node("Transpose", g.node("Squeeze", y, [1]), perm=[1, 2, 0])
    x = g.node("Sigmoid", g.conv(g.node("Relu", x), hidden, 1, 1))
    g.output(g.node("ReduceMean", x, axes=[1, 2], keepdims=0), "probability")
    g.output(g.node("Concat", h, c, axis=0), "next_state")
    return g.model()


def boxes():
    """A detector of objects, with its boxes: SiLU, slices, poolings, distributions of distances."""
    g = Graph(11)
    x = g.silu(g.conv(g.input("images", [1, 3, "height", "width"]), 3, 16, 3, 3, stride=4))
    y = g.silu(g.conv(x, 16, 32, 1, 1))
    a, b = g.node("Split", y, outputs=2, axis=1)
    c = g.node("Add", b, g.silu(g.conv(g.silu(g.conv(b, 16, 16, 3, 3)), 16, 16, 3, 3)))
    x = g.silu(g.conv(g.node("Concat", a, b, c, axis=1), 48, 16, 1, 1))
    pools = [x]
    for _ in range(3):
        pools.append(g.node("MaxPool", pools[-1], kernel_shape=[5, 5], pads=[2] * 4))
    x = g.silu(g.conv(g.node("Concat", *pools, axis=1), 64, 32, 1, 1, stride=2))
    distances = g.node("Reshape", g.conv(x, 32, 32, 1, 1), [1, 4, 8, -1])
    shares = g.node("Softmax", g.node("Transpose", distances, perm=[0, 3, 1, 2]), axis=3)
    sides = g.node("MatMul", shares, numpy.arange(8.0)[:, None])
    low, high = g.node("Split", g.node("Squeeze", sides, [3]), outputs=2, axis=2)
    centre = g.node("Div", g.node("Add", low, high), 2.0)
    box = g.node("Transpose", g.node("Concat", centre, g.node("Sub", high, low), axis=2), perm=[0, 2, 1])
    scores = g.node("Sigmoid", g.node("Reshape", g.conv(x, 32, 5, 1, 1), [1, 5, -1]))
    g.output(g.node("Concat", box, scores, axis=1), "detections")
    best = g.node("TopK", g.node("ReduceMax", scores, axes=[1], keepdims=0), [2], outputs=2)
    g.output(best[0], "best")
    return g.model()


def conformer():
    """A block for speech: half steps of a feed-forward part, attention, a gated convolution."""
    g, (count, size) = Graph(12), (4, 8)
    width = count * size
    x = g.input("features", ["batch", "frames", width])
    x = g.node("Add", x, g.node("Mul", g.linear(g.silu(g.linear(g.layer_norm(x, width), width, 64)), 64, width), 0.5))
    y = g.layer_norm(x, width)
    q, k, v = (heads(g, g.linear(y, width, width), count, size, keys=i == 1) for i in range(3))
    x = g.node("Add", x, g.linear(attend(g, q, k, v, None, count, size), width, width))
    y = g.conv(g.node("Transpose", g.layer_norm(x, width), perm=[0, 2, 1]), width, 2 * width, 1)
    a, b = g.node("Split", y, outputs=2, axis=1)
    y = g.conv(g.node("Mul", a, g.node("Sigmoid", b)), width, width, 15, groups=width)
    y = g.node("BatchNormalization", y, numpy.ones(width), numpy.zeros(width) + 0.1, numpy.zeros(width) - 0.1,
               numpy.ones(width) * 1.2)
    y = g.conv(g.silu(y), width, width, 1)
    g.output(g.layer_norm(g.node("Add", x, g.node("Transpose", y, perm=[0, 2, 1])), width), "encoded")
    return g.model()


def diffusion():
    """A level of a network that removes noise: group normalization, time, attention over pixels."""
    g, channels = Graph(13), 32
    x = g.conv(g.input("latent", ["batch", 4, "height", "width"]), 4, channels, 3, 3, stride=4)
    time = g.silu(g.gemm(g.input("time", ["batch", 16]), 16, channels))
    y = g.conv(g.silu(group_norm(g, x, channels)), channels, channels, 3, 3)
    y = g.node("Add", y, g.node("Unsqueeze", time, [2, 3]))
    x = g.node("Add", x, g.conv(g.silu(group_norm(g, y, channels)), channels, channels, 3, 3))
    rows = g.node("Transpose", g.node("Reshape", group_norm(g, x, channels), [0, channels, -1]), perm=[0, 2, 1])
    q, k, v = (heads(g, g.linear(rows, channels, channels), 4, 8, keys=i == 1) for i in range(3))
    mixed = g.node("Transpose", g.linear(attend(g, q, k, v, None, 4, 8), channels, channels), perm=[0, 2, 1])
    x = g.node("Add", x, g.node("Reshape", mixed, g.node("Shape", x)))
    x = g.node("Resize", x, None, [1.0, 1.0, 4.0, 4.0], mode="nearest", coordinate_transformation_mode="asymmetric",
               nearest_mode="floor")
    g.output(g.conv(x, channels, 4, 3, 3), "noise")
    return g.model()


def group_norm(g, x, channels):
    """As PyTorch exports it: instance normalization of groups."""
    y = g.node("Reshape", x, [0, 8, -1])
    y = g.node("InstanceNormalization", y, numpy.ones(8), numpy.zeros(8), epsilon=1e-5)
    y = g.node("Reshape", y, g.node("Shape", x))
    scale = g.constant(g.random.standard_normal((channels, 1, 1)) * 0.1 + 1)
    return g.node("Add", g.node("Mul", y, scale), g.constant(g.random.standard_normal((channels, 1, 1)) * 0.1))


NETWORKS = {function.__name__: function for function in (
    mlp, encoder, t5, decoder, residual, mobile, detector, recognizer, tagger, vocoder, listener, boxes, conformer,
    diffusion)}
