#!/usr/bin/env python3
"""Writes an ONNX model with nothing but Python: a classifier of images of 28 x 28, quantized as ONNX Runtime and PyTorch
quantize (QuantizeLinear, DequantizeLinear), with random weights.

An ONNX file is a message of protocol buffers: fields, each with a number and a value, some of which are messages again.

Usage: make_classifier.py MODEL.onnx
"""

import random
import struct
import sys

FLOAT, UINT8, INT8 = 1, 2, 3
SIZES = [784, 512, 256, 10]


def varint(value):
    text = bytearray()
    while value > 127:
        text.append(value & 127 | 128)
        value >>= 7
    return bytes(text + bytes([value]))


def field(number, value):
    """A number, a text, or the bytes of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, kind, shape, data):
    return b"".join(field(1, size) for size in shape) + field(2, kind) + field(8, name) + field(9, data)


def node(op, name, inputs, attributes=b""):
    return (b"".join(field(1, value) for value in inputs) + field(2, name) + field(3, name) + field(4, op) + attributes)


def value_info(name, shape):
    dims = b"".join(field(1, field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, dims)))


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, kind, shape, data):
        self.constants.append(tensor(name, kind, shape, data))
        return name

    def node(self, op, name, *inputs, attributes=b""):
        self.nodes.append(node(op, name, inputs, attributes))
        return name

    def quantized(self, value, scale):
        """A value as unsigned bytes, and as floats again."""
        parameters = [self.constant(f"{value}_scale", FLOAT, [], struct.pack("<f", scale)),
                      self.constant(f"{value}_zero", UINT8, [], b"\0")]
        self.node("QuantizeLinear", f"{value}_q", value, *parameters)
        return self.node("DequantizeLinear", f"{value}_dq", f"{value}_q", *parameters)

    def layer(self, name, x, size, width):
        weights = bytes(random.randrange(256) for _ in range(size * width))
        scales = struct.pack(f"<{width}f", *(random.uniform(0.0005, 0.002) for _ in range(width)))
        w = self.node("DequantizeLinear", f"{name}_w",
                      self.constant(f"{name}_weights", INT8, [size, width], weights),
                      self.constant(f"{name}_scales", FLOAT, [width], scales),
                      self.constant(f"{name}_zeros", INT8, [width], bytes(width)),
                      attributes=field(5, field(1, "axis") + field(3, 1) + field(20, 2)))
        bias = struct.pack(f"<{width}f", *(random.uniform(-1, 1) for _ in range(width)))
        return self.node("Gemm", name, x, w, self.constant(f"{name}_bias", FLOAT, [width], bias))

    def model(self, inputs, outputs):
        graph = b"".join(field(1, text) for text in self.nodes) + field(2, "classifier")
        graph += b"".join(field(5, text) for text in self.constants)
        graph += b"".join(field(11, text) for text in inputs) + b"".join(field(12, text) for text in outputs)
        return field(1, 8) + field(2, "make_classifier.py") + field(7, graph) + field(8, field(2, 17))


def main(path):
    random.seed(7)
    graph, x = Graph(), "image"
    for number, (size, width) in enumerate(zip(SIZES, SIZES[1:]), 1):
        x = graph.layer(f"fc{number}", graph.quantized(x, 1 / 255 if number == 1 else 0.05), size, width)
        if width != SIZES[-1]:
            x = graph.node("Relu", f"relu{number}", x)
    inputs, outputs = [value_info("image", ["batch", SIZES[0]])], [value_info(x, ["batch", SIZES[-1]])]
    with open(path, "wb") as file:
        file.write(graph.model(inputs, outputs))


if __name__ == "__main__":
    main(sys.argv[1])
