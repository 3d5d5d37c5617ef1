"""What a model is calibrated on, and what it is judged by.

A script of this folder is for one model. `qcc quantize --data=SCRIPT --eval=SCRIPT` calls its functions samples() and
evaluate(run), in the folder of fetch-onnx-models.py. Inputs for calibration and for the evaluation differ.
"""

import dataclasses
import functools
import pathlib
import sys
from typing import Any, Callable, Iterator, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[2]


def use_package(name):
    """Lets modules of an unpacked package be imported; returns its folder."""
    folder = pathlib.Path.cwd() / name
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no {folder}; go to the folder that utils/quantized-models.py fetches packages to")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return folder


@dataclasses.dataclass(frozen=True)
class Task:
    #: For calibration: dictionaries of arrays by the names of inputs.
    samples: Callable[[], Iterator[Any]]
    #: Makes inputs of the evaluation, each with what is right.
    make_inputs: Callable[[], Iterator[Tuple[Any, Any]]]
    #: What outputs score against what is right: points, and how many there are to get.
    score: Callable[[Any, Any], Tuple[float, float]]

    @functools.cached_property
    def inputs(self):
        return list(self.make_inputs())

    def evaluate(self, run):
        """The share of all points."""
        scores = [self.score(run(sample), expected) for sample, expected in self.inputs]
        return sum(points for points, _ in scores) / sum(most for _, most in scores)

    def evaluation(self, count):
        """The first inputs of the evaluation."""
        return [sample for sample, _ in self.inputs[:count]]
