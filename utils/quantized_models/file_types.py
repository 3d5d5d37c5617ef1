"""Magika: the share of this repository's files whose type it recognizes.

Every fourth file calibrates, and every second one evaluates.
"""

import pathlib
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from quantized_models.task import ROOT, Task, use_package  # noqa: E402

#: The types that a file with a suffix may have.
TYPES = {".c": ("c", "cpp"), ".cmake": ("cmake",), ".cpp": ("cpp", "c"), ".h": ("c", "cpp"), ".hpp": ("cpp",),
         ".html": ("html",), ".json": ("json",), ".md": ("markdown",), ".npy": ("npy",), ".npz": ("npz", "zip"),
         ".onnx": ("onnx",), ".py": ("python",), ".sh": ("shell",), ".so": ("elf",), ".svg": ("svg",),
         ".toml": ("toml",), ".yaml": ("yaml",), ".yml": ("yaml",)}
#: The most files of one suffix.
MOST = 100

use_package("magika")
from magika import Magika  # noqa: E402

MAGIKA = Magika()


def files():
    """(path, the types that it may have) of files with enough text."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    counts = dict.fromkeys(TYPES, 0)
    for path in map(ROOT.joinpath, sorted(listed)):
        if path.suffix in TYPES and counts[path.suffix] < MOST and path.is_file() and path.stat().st_size > 500:
            counts[path.suffix] += 1
            yield path, TYPES[path.suffix]


def prepare(path):
    from magika.types import Seekable
    config = MAGIKA._model_config
    with open(path, "rb") as stream:
        features = Magika._extract_features_from_seekable(
            Seekable(stream), config.beg_size, config.mid_size, config.end_size, config.padding_token,
            config.block_size, config.use_inputs_at_offsets)
    return {"bytes": numpy.array([[*features.beg, *features.end]], numpy.int32)}


def score(outputs, types):
    (probabilities,) = outputs.values()
    return int(MAGIKA._target_labels_space[probabilities.argmax()] in types), 1


TASK = Task(lambda: (prepare(path) for path, _ in list(files())[::4]),
            lambda: ((prepare(path), types) for path, types in list(files())[1::2]), score)
samples, evaluate = TASK.samples, TASK.evaluate
