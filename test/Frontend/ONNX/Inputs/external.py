"""Writes models whose weight lies in another file, into a folder.

good.onnx is valid. The others ask for a file that must not be read, or for bytes that are not
there: up, absolute, link, folder-link, hard-link, folder, outside, overflow, short, text, missing.
"""

import os
import pathlib
import sys

import numpy
from onnx import TensorProto, helper

folder = pathlib.Path(sys.argv[1])
inside = folder / "inside"
(inside / "sub").mkdir(parents=True, exist_ok=True)
weights = numpy.arange(2048, dtype=numpy.float32).tobytes()
numpy.save(folder / "weights.npy", numpy.arange(2048, dtype=numpy.float32))
numpy.save(folder / "zeros.npy", numpy.zeros(2048, numpy.float32))
(folder / "secret.bin").write_bytes(weights)
(inside / "weights.bin").write_bytes(bytes(64) + weights)
(inside / "sub" / "short.bin").write_bytes(weights[:100])
for link, to in (("link.bin", "weights.bin"), ("sublink", "sub")):
    if not (inside / link).is_symlink():
        (inside / link).symlink_to(to)
(inside / "twin.bin").write_bytes(weights)
if not (inside / "hard.bin").exists():
    os.link(inside / "twin.bin", inside / "hard.bin")


LENGTH = str(len(weights))


def write(name, location, offset="0", length=LENGTH):
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2048],
                         data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2048]) for n in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"], "add")], "g",
                              info[:1], info[1:], [tensor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    (inside / f"{name}.onnx").write_bytes(model.SerializeToString())


write("good", "./weights.bin", "64")
write("up", "../secret.bin")
write("absolute", str(folder / "secret.bin"))
write("link", "link.bin")
write("folder-link", "sublink/short.bin")
write("hard-link", "hard.bin")
write("folder", "sub")
write("outside", "weights.bin", "128")
write("overflow", "weights.bin", "18446744073709551615")
write("short", "sub/short.bin", "0", "100")
write("text", "weights.bin", "much")
write("missing", "none.bin")
