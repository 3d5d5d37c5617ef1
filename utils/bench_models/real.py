"""What ops of networks compute in real numbers, on images [H, W, C]."""

import numpy


def windows(x, kernel, stride):
    """[OH, OW, C, kernel, kernel]"""
    views = numpy.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), axis=(0, 1))
    return views[::stride, ::stride]


def pad(x, padding, value=0.0):
    return numpy.pad(x, ((padding, padding), (padding, padding), (0, 0)), constant_values=value)


def multiply(rows, w):
    """Products of the elements of each place with those of each filter, summed."""
    y = rows.reshape(-1, w[0].size) @ w.reshape(len(w), -1).T
    return y.reshape(*rows.shape[:2], len(w))


def conv(x, w, stride, padding, groups):
    """`w` is [F, K, K, C / groups]; groups are 1, or as many as channels and filters."""
    filters, kernel = w.shape[:2]
    if kernel == 1 and groups == 1:
        return multiply(x[::stride, ::stride], w)
    x = pad(x, padding)
    if groups == 1:
        return multiply(windows(x, kernel, stride).transpose(0, 1, 3, 4, 2), w)
    assert groups == x.shape[2] == filters
    height, width = ((size - kernel) // stride + 1 for size in x.shape[:2])
    y = numpy.zeros((height, width, filters), numpy.float32)
    for i in range(kernel):
        for j in range(kernel):
            rows = slice(i, i + stride * height, stride)
            columns = slice(j, j + stride * width, stride)
            y += x[rows, columns][:height, :width] * w[:, i, j, 0]
    return y


def conv_transpose(x, w):
    """With the kernel as stride: each pixel becomes a square."""
    filters, kernel = w.shape[:2]
    height, width, channels = x.shape
    y = x.reshape(-1, channels) @ w.reshape(-1, channels).T
    y = y.reshape(height, width, filters, kernel, kernel).transpose(0, 3, 1, 4, 2)
    return numpy.ascontiguousarray(y).reshape(height * kernel, width * kernel, filters)


def max_pool(x, kernel, stride, padding):
    x = pad(x, padding, -numpy.inf)
    # One direction after the other.
    rows = numpy.lib.stride_tricks.sliding_window_view(x, kernel, axis=0)[::stride].max(axis=-1)
    views = numpy.lib.stride_tricks.sliding_window_view(rows, kernel, axis=1)
    return views[:, ::stride].max(axis=-1)


def hard_sigmoid(x):
    return numpy.clip(x + numpy.float32(3), 0, 6) / numpy.float32(6)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


ACTIVATIONS = {
    "none": lambda x: x,
    "relu": lambda x: numpy.maximum(x, 0),
    "relu6": lambda x: numpy.clip(x, 0, 6),
    "hard_sigmoid": hard_sigmoid,
    "hard_swish": lambda x: x * hard_sigmoid(x),
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
}
