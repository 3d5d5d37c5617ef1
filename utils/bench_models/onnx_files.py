"""A model in ONNX files, which are equivalent forms of it."""

import dataclasses
import pathlib

import onnx

from onnx_models.inputs import make_inputs

from .candidates import Failure
from .models import SEED, Model


@dataclasses.dataclass(frozen=True)
class File:
    """A form, and its twin."""

    path: pathlib.Path

    def describe(self):
        return self.path.name

    def to_onnx(self):
        return str(self.path)


class OnnxFiles(Model):
    """Everybody reads the files as they are; sizes of dynamic dimensions are known to all.

    All forms have inputs and results of the same names.

    Quantized networks amplify single roundings: results of one library with and without its
    optimizations differ by some percent.
    """

    tolerance = 0.25

    def __init__(self, paths, sizes, tokens):
        """paths: files. sizes: {name of a dimension: size}. tokens: integer inputs are below it."""
        self.files = [File(path) for path in paths]
        self.name, self.weights = paths[0].stem, {}
        first = onnx.load(paths[0], load_external_data=False)
        used, unknown = {}, set()

        def size(name, axis, parameter):
            known = sizes.get(parameter, sizes.get(f"{name}:{axis}"))
            if known is None:
                unknown.add(parameter or f"{name}:{axis}")
            elif parameter:
                used[parameter] = known
            return known or 1

        arrays = make_inputs(first, size, SEED, tokens)
        self.inputs, self.arrays = list(arrays), list(arrays.values())
        if unknown:
            raise Failure(f"{paths[0]} has dynamic dimensions; give their sizes: " +
                          " ".join(f"--dim={name}=N" for name in sorted(unknown)))
        self.options = [f"--dim={name}={known}" for name, known in used.items()]
        self.outputs = [value.name for value in first.graph.output]

    def programs(self, folder):
        return {file.path.name: str(file.path) for file in self.files}

    def program_form(self, form):
        return form.path.name

    def input(self):
        return self.arrays

    def forms(self):
        return self.files

    def twin(self, form):
        return form
