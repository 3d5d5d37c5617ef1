# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What needs other packages of Python: python -m qcc diff, quantize, reduce, serve and verify."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Tuple

from ._arrays import load_array
from ._artifact import write_file
from ._exit_codes import DIFFERS, SUCCESS, run_on_model
from ._layers import PEERS, diff_model, load_model
from ._options import check_outputs, dimension, pair, tolerance
from ._pages import diff_page
from ._reduce import reduce_model


def _input(text: str) -> Tuple[str, str]:
    return pair(text, ":", "NAME:FILE.npy")


def _parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m qcc", description="What needs other packages of Python.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    reduce = commands.add_parser("reduce", help="find the smallest part of a model for which a test still succeeds")
    reduce.set_defaults(run=_reduce)
    reduce.add_argument("model", metavar="MODEL.onnx")
    reduce.add_argument("--test", required=True, metavar="COMMAND",
                        help="a command of the shell, which succeeds where the model \"$1\" does what is looked for, such "
                             "as '! qcc run \"$1\" --check'")
    reduce.add_argument("-o", "--output", dest="output", required=True, metavar="OUT.onnx", help="where the part is written")
    diff = commands.add_parser("diff", help="compare a model with another implementation of ONNX; exit with 1 if they "
                                            "differ")
    diff.set_defaults(run=_diff)
    diff.add_argument("model", metavar="MODEL.onnx")
    diff.add_argument("--against", choices=sorted(PEERS), default="onnxruntime")
    diff.add_argument("--layers", action="store_true", help="compare what each node computes")
    diff.add_argument("--input", action="append", default=[], type=_input, metavar="NAME:FILE.npy",
                      help="an input; without any, all are random")
    diff.add_argument("--dim", action="append", default=[], type=dimension, metavar="NAME=N",
                      help="the size of a dimension that the model has a name for")
    diff.add_argument("--mcpu", default="native", help="the processor to compile for")
    diff.add_argument("--tolerance", type=tolerance, default=0.0, metavar="T",
                      help="let a value differ by T times its norm (L2)")
    diff.add_argument("--html", metavar="FILE", help="also write a page: the error of each value as a plot and as a table; "
                                                     "- prints it instead of the text")
    commands.add_parser("quantize", help="quantize an ONNX model to int8, and report what it loses and gains")
    commands.add_parser("serve", help="serve artifacts by the Open Inference Protocol, over HTTP and gRPC")
    commands.add_parser("verify", help="tell which settings of engines change the bits of a model's results, and how far "
                                       "results are from float64")
    return parser.parse_args(arguments)


def _reduce(options: argparse.Namespace) -> int:
    model, tests = load_model(options.model), 0
    with tempfile.TemporaryDirectory(prefix="qcc-reduce-") as folder:
        path = os.path.join(folder, "model.onnx")

        def is_wanted(part: Any) -> bool:
            nonlocal tests
            tests += 1
            with open(path, "wb") as file:
                file.write(part.SerializeToString())
            done = subprocess.run(["sh", "-c", options.test, "sh", path], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return done.returncode == 0

        part = reduce_model(model, is_wanted)
    with open(options.output, "wb") as file:
        file.write(part.SerializeToString())
    print(f"{len(part.graph.node)} of {len(model.graph.node)} nodes, after {tests} tests: {options.output}")
    return SUCCESS


def _diff(options: argparse.Namespace) -> int:
    check_outputs([options.model, *(path for _, path in options.input)], [options.html])
    inputs: Optional[Dict[str, object]] = {name: load_array(path) for name, path in options.input} or None
    report = diff_model(options.model, inputs, against=options.against, layers=options.layers, target=options.mcpu,
                        dims=dict(options.dim))
    page = diff_page(report, options.model, options.tolerance) if options.html else ""
    first = report.first(options.tolerance)
    if options.html == "-":
        print(page, end="")
        return SUCCESS if first is None else DIFFERS
    if options.html:
        write_file(options.html, page.encode())
    print(report)
    if first is None:
        print(f"no difference in {len(report.layers)} values")
        return SUCCESS
    print(f"first difference: {first.value}, of node {first.node} ({first.op})")
    return DIFFERS


def main(arguments: Optional[List[str]] = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["serve"]:
        from .serve import _command  # Other commands do not need it.

        return _command.main(given[1:])
    if given[:1] == ["quantize"]:
        from .quantize import _command as _quantize

        return _quantize.main(given[1:])
    if given[:1] == ["verify"]:
        from .verify import _command as _verify

        return _verify.main(given[1:])
    options = _parse(given)
    return run_on_model(options.command, options.model, lambda: options.run(options))
