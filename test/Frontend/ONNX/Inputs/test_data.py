"""Writes folders of tests of a model that adds two tensors."""

import pathlib
import sys

import numpy as np
from onnx import numpy_helper


def write(folder, inputs, output):
    folder.mkdir(parents=True)
    for i, array in enumerate(inputs):
        (folder / f"input_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    (folder / "output_0.pb").write_bytes(numpy_helper.from_array(output).SerializeToString())


def arrays(rows):
    a = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
    return [a, a * np.float32(0.25)]


root = pathlib.Path(sys.argv[1])
two, three = arrays(2), arrays(3)
write(root / "good" / "test_data_set_0", two, two[0] + two[1])
# Another implementation rounds in another way.
write(root / "good" / "test_data_set_1", three, (three[0] + three[1]) * np.float32(1 + 1e-6))
wrong = two[0] + two[1]
wrong[1, 2] += 1
write(root / "wrong" / "test_data_set_0", two, wrong)
write(root / "wrong" / "test_data_set_1", two, two[0] + two[1])
(root / "none").mkdir()
write(root / "short", two[:1], two[0])
write(root / "damaged", two, two[0])
tensor = numpy_helper.from_array(two[1])
tensor.raw_data = tensor.raw_data[:-4]
(root / "damaged" / "input_1.pb").write_bytes(tensor.SerializeToString())
write(root / "text", two, two[0])
(root / "text" / "input_1.pb").write_text("no tensor")
