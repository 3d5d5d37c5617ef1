"""The arrays of a layer, which the machine of the compiler and the machine of the GPU both make from a seed."""

import hashlib

import numpy as np


def sizes(shape):
    """Rows, columns and K of a name such as 128x768x768."""
    m, n, k = (int(size) for size in shape.split("x"))
    return m, n, k


def arrays(shape):
    """x[m, k], w[n, k], bias[n] and scale[n] of y = min(127, rint(relu((x * w^T + bias) * scale)))."""
    m, n, k = sizes(shape)
    random = np.random.default_rng([m, n, k])
    return {
        "x": random.integers(-128, 128, (m, k), np.int8), "w": random.integers(-128, 128, (n, k), np.int8),
        "bias": random.integers(-9999, 9999, n, np.int32),
        "scale": (random.uniform(0.5, 1.5, n) / (73 * 73 * k**0.5) * 60).astype(np.float32),
    }


def hash_of(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def tail_of(packed, w):
    """What packed weights hold behind the rows of w; all of them where they begin with something else."""
    rows = w.tobytes()
    return packed[len(rows):] if packed[:len(rows)] == rows else packed


def packed_of(tail, size, w):
    """The packed weights of that many bytes, from what tail_of() left of them."""
    return tail if len(tail) == size else w.tobytes() + tail
