"""Writes good and damaged input and weight files for Inputs/linear.mlir into a folder."""

import json
import os
import struct
import sys
import zipfile

import numpy as np

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(3)


def path(name):
    return os.path.join(folder, name)


def truncate(source, target, keep):
    with open(path(source), "rb") as file:
        data = file.read()
    with open(path(target), "wb") as file:
        file.write(data[: int(len(data) * keep)])


x = rng.integers(-128, 128, (5, 8)).astype(np.int8)
w = rng.integers(-128, 128, (4, 8)).astype(np.int8)
b = rng.uniform(-1, 1, 4).astype(np.float32)

# Inputs.
np.save(path("x.npy"), x)
np.save(path("f64.npy"), x.astype(np.float64))
np.save(path("u8.npy"), x.view(np.uint8))
np.save(path("rank3.npy"), x.reshape(5, 8, 1))
np.save(path("width.npy"), x[:, :7].copy())
np.save(path("fortran.npy"), np.asfortranarray(x))
np.save(path("object.npy"), np.array([{}], dtype=object))
np.save(path("empty_batch.npy"), x[:0])
np.save(path("big_endian.npy"), b.astype(">f4"))
truncate("x.npy", "truncated.npy", 0.9)
truncate("x.npy", "truncated_header.npy", 0.3)
truncate("x.npy", "truncated_magic.npy", 0.03)
open(path("empty.npy"), "wb").close()
with open(path("text.npy"), "w") as file:
    file.write("this is no array\n")
with open(path("huge.npy"), "wb") as file:
    header = "{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999, 8), }"
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
with open(path("overflow.npy"), "wb") as file:
    header = "{'descr': '|i1', 'fortran_order': False, 'shape': (4611686018427387904, 8), }"
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())

# Weights in .npz.
np.savez(path("good.npz"), w=w, b=b)
np.savez_compressed(path("compressed.npz"), w=w, b=b)
np.savez(path("missing.npz"), w=w)
np.savez(path("wrong_size.npz"), w=w[:3], b=b)
np.savez(path("wrong_type.npz"), w=w.astype(np.int16), b=b)
truncate("good.npz", "truncated.npz", 0.5)
with open(path("good.npz"), "rb") as file:
    data = bytearray(file.read())
data[len(data) // 3] ^= 0x55
with open(path("corrupt.npz"), "wb") as file:
    file.write(data)
with zipfile.ZipFile(path("no_array.npz"), "w") as archive:
    archive.writestr("w.npy", "this is no array")
    archive.writestr("b.npy", "this is no array")
with open(path("text.npz"), "w") as file:
    file.write("this is no archive\n")


# Weights in .safetensors.
def safetensors(name, tensors, header=None, size=None):
    entries, blob = {}, b""
    for key, (dtype, array) in tensors.items():
        raw = array.tobytes()
        entries[key] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": [len(blob), len(blob) + len(raw)],
        }
        blob += raw
    text = header if header is not None else json.dumps(entries).encode()
    with open(path(name), "wb") as file:
        file.write(struct.pack("<Q", len(text) if size is None else size) + text + blob)


good = {"w": ("I8", w), "b": ("F32", b)}
safetensors("good.safetensors", good)
safetensors("missing.safetensors", {"b": ("F32", b)})
safetensors("wrong_size.safetensors", {"w": ("I8", w[:3].copy()), "b": ("F32", b)})
safetensors("wrong_type.safetensors", {"w": ("U8", w), "b": ("F32", b)})
safetensors("bad_json.safetensors", good, header=b'{"w": {"dtype"')
safetensors("bad_header.safetensors", good, size=1 << 60)
safetensors(
    "bad_offsets.safetensors",
    good,
    header=json.dumps(
        {
            "w": {"dtype": "I8", "shape": [4, 8], "data_offsets": [0, 1 << 50]},
            "b": {"dtype": "F32", "shape": [4], "data_offsets": [32, 48]},
        }
    ).encode(),
)
safetensors(
    "bad_shape.safetensors",
    good,
    header=json.dumps(
        {
            "w": {"dtype": "I8", "shape": [4, -8], "data_offsets": [0, 32]},
            "b": {"dtype": "F32", "shape": [4], "data_offsets": [32, 48]},
        }
    ).encode(),
)
truncate("good.safetensors", "truncated.safetensors", 0.9)
