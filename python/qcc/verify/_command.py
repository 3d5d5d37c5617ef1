# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of python -m qcc verify."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from .._arrays import load_array
from .._artifact import write_file
from .._exit_codes import DIFFERS, FAILED, SUCCESS, run_on_model
from .._layers import load_model
from .._options import check_outputs, count, dimension, pair
from .._packages import quiet
from ..errors import InvalidArgumentError
from ._agreement import References, observe
from ._engines import OTHER_ENGINES, choose_targets, qcc_engine
from ._report import Report
from ._rows import Rows, batch_dim, find_rows, make_sample

#: Rows of a batch, if nobody says how many. An odd number leaves kernels for several rows a rest.
_ROWS = 5


def _names(text: str) -> List[str]:
    return text.split(",")


def _peers(text: str) -> List[str]:
    for name in _names(text):
        if name not in OTHER_ENGINES:
            raise argparse.ArgumentTypeError(f"there is no engine '{name}'; use {' or '.join(sorted(OTHER_ENGINES))}")
    return list(dict.fromkeys(_names(text)))


def _threads(text: str) -> List[int]:
    return list(dict.fromkeys(count(number, 1024) for number in _names(text)))


def _shape(text: str) -> Tuple[str, Tuple[int, ...]]:
    name, sizes = pair(text, "=", "NAME=2x3")
    return name, tuple(count(size) for size in sizes.split("x"))


def _batch(text: str) -> Tuple[Optional[str], int]:
    if "=" not in text:
        return None, count(text)
    name, size = pair(text, "=", "N or NAME=N")
    return name, count(size)


def _input(text: str) -> Tuple[str, str]:
    """A name and a file, or "" and the seed of random numbers."""
    form = "NAME:FILE.npy or random[:SEED]"
    if text == "random":
        return "", "0"
    name, source = pair(text, ":", form)
    if name == "random" and source.isdigit():
        return "", source
    if not source.endswith(".npy"):
        raise argparse.ArgumentTypeError(f"'{text}' must be {form}")
    return name, source


def _device(text: str) -> str:
    if text != "cuda" and not (text.startswith("cuda:") and text[5:].isdigit()):
        raise argparse.ArgumentTypeError(f"'{text}' must be cuda or cuda:N")
    return text


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m qcc verify",
        description="Runs an ONNX model with all settings of qcc, and of other engines, and tells which settings change "
                    "bits of results and how far results are from float64.",
        epilog="exit codes: 0 all results of qcc have the same bits; 1 they have not; 2 the command line is wrong; 3 a "
               "file is missing or not accepted; 4 a package is missing, or an engine cannot run the model")
    made.add_argument("model", metavar="MODEL.onnx")
    made.add_argument("--against", type=_peers, default=[], metavar="ENGINE[,...]",
                      help="other engines beside qcc: onnxruntime, openvino")
    made.add_argument("--input", action="append", default=[], type=_input, metavar="NAME:FILE.npy|random[:SEED]",
                      help="an input, or the seed of inputs that are not given; without any, all are random")
    made.add_argument("--dim", action="append", default=[], type=dimension, metavar="NAME=N",
                      help="the size of a dimension that the model has a name for; it is no longer dynamic")
    made.add_argument("--shape", action="append", default=[], type=_shape, metavar="NAME=2x3",
                      help="all sizes of an input, which are no longer dynamic")
    made.add_argument("--batch", type=_batch, metavar="[NAME=]N",
                      help=f"how many rows random inputs have along a dynamic dimension, by default {_ROWS} along the "
                           "first one; 1 compares no rows")
    made.add_argument("--threads", type=_threads, default=[1, 2, 4], metavar="N[,...]",
                      help="numbers of threads (default: 1,2,4)")
    made.add_argument("--mcpu", type=_names, default=[], metavar="NAME[,...]",
                      help="processors to compile for; by default one of each kind that this host can run, and native")
    made.add_argument("--device", type=_device, metavar="cuda[:N]",
                      help="also run code for this GPU, of the chips that --mcpu names or of each kind that it runs")
    made.add_argument("--json", nargs="?", const="-", metavar="FILE",
                      help="also write the report as JSON; without a file, or with -, print it instead of the table")
    return made


def _load_arrays(given: List[Tuple[str, str]]) -> Dict[str, Any]:
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidArgumentError(f"the input '{twice}' is given twice" if twice else "random inputs are asked for twice")
    return {name: load_array(path) for name, path in given if name}


def _verify(options: argparse.Namespace) -> Report:
    model = load_model(options.model)
    arrays = _load_arrays(options.input)
    seed = next((int(text) for name, text in options.input if not name), 0)
    targets = choose_targets(options.mcpu, options.device)
    # Packages that are missing are told before anything takes long.
    peers = [OTHER_ENGINES[name](model, options.threads) for name in options.against]
    fixed: Dict[str, Mapping[str, Any]] = {"dims": dict(options.dim), "shapes": dict(options.shape)}
    engine, function = qcc_engine(model, options.model, targets, options.threads, fixed, options.device)
    wanted, count = options.batch if options.batch is not None else (None, _ROWS)
    dim, no_rows = batch_dim(function.arguments, wanted)
    sample = make_sample(function, arrays, seed, {**fixed["dims"], **({dim: count} if dim is not None else {})})
    rows: Optional[Rows] = find_rows(function, dim, sample) if dim is not None else None
    if rows is not None and rows.count < 2:
        rows, no_rows = None, "the inputs have one row"
    references = References(model, sample)
    ours = observe(engine, sample, rows, references)
    if rows is not None and ours.depends_on_rows and references.mixes(rows, sample):
        no_rows = f"the model computes rows of '{rows.dim}' from other rows, in float64 too"
        rows = None
    verdicts = [ours.verdict(compares_rows=rows is not None)]
    for peer in peers:
        verdicts.append(observe(peer, sample, rows, references).verdict())
    is_random = len(arrays) < len(sample)
    return Report(options.model, sample, seed if is_random else None, rows, no_rows, references.reason, tuple(verdicts))


def run(options: argparse.Namespace) -> int:
    """Verifies a model; returns the exit code."""
    check_outputs([options.model, *(source for name, source in options.input if name)], [options.json])
    with quiet(), np.errstate(all="ignore"):
        report = _verify(options)
    text = json.dumps(report.to_json(), indent=2)
    if options.json not in (None, "-"):
        write_file(options.json, f"{text}\n".encode())
    print(text if options.json == "-" else report)
    if not report.verdicts[0].agrees:
        return DIFFERS
    failures = [verdict.name for verdict in report.verdicts[1:] if verdict.failures]
    if failures:
        print(f"qcc: error: {failures[0]} cannot run the model with all settings; the report has the reason",
              file=sys.stderr)
    return FAILED if failures else SUCCESS


def main(arguments: Optional[List[str]] = None) -> int:
    options = parser().parse_args(arguments)
    return run_on_model("verify", options.model, lambda: run(options))
