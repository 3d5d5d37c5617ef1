# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of python -m qcc quantize."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._artifact import write_file
from .._exit_codes import DIFFERS, SUCCESS, run_on_model
from .._explanation import UNWANTED, Explanation
from .._options import UsageError, check_outputs, count, dimension
from .._packages import need, need_nncf, quiet
from ._data import Data, Sample, open_data
from ._engines import ENGINES, choose_nodes, quantize, weight_bits_of
from ._graph import inputs_of, layers_of, prepare, set_metadata
from ._measure import (Compiled, Distance, Products, Times, compare_values, compile_checked, measure_times, products_of,
                       sensitivities, unwanted_steps)
from ._page import page
from ._placement import quantized_layers, with_float_layers
from ._report import Layer, Report, count_of
from ._search import Drop, Evaluation, Found, choices, parse_drop, rank, search

#: Samples for errors of single layers, each of which needs a model of its own.
_SENSITIVITY_SAMPLES = 4


def _drop(text: str) -> Drop:
    try:
        return parse_drop(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' must be a share of the accuracy such as 0.5%, or a difference such "
                                         "as 0.005") from None


def _kinds(text: str) -> List[str]:
    kinds = text.split(",")
    for kind in kinds:
        if kind not in UNWANTED:
            raise argparse.ArgumentTypeError(f"'{kind}' is no kind of step; give one of {', '.join(UNWANTED)}")
    return kinds


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m qcc quantize",
        description="Quantizes an ONNX model to int8, and reports what it loses and gains.",
        epilog="exit codes: 0 the model is written; 1 no choice of layers keeps the accuracy of --max-drop, or "
               "--fail-on refuses a step; 2 the command line is wrong; 3 a file is missing or not accepted; 4 a package "
               "is missing, or the model cannot be quantized, compiled or written")
    made.add_argument("model", metavar="MODEL.onnx")
    made.add_argument("-o", "--output", required=True, metavar="OUT.onnx", help="where the quantized model is written")
    made.add_argument("--data", required=True, metavar="DATA",
                      help="calibration data: a .npz file, a folder of .npz or .npy files, a Python script with a "
                           "function samples(), or random[:SEED[:N]], whose results are worthless but for times")
    made.add_argument("--samples", type=count, default=300, metavar="N",
                      help="read at most so many (default: %(default)s)")
    made.add_argument("--engine", choices=sorted(ENGINES), default="nncf", help="what quantizes (default: %(default)s)")
    made.add_argument("--weight-bits", type=int, choices=(7, 8), metavar="7|8",
                      help="bits of weights: 8, or 7, with which processors without VNNI are faster (default: as this "
                           "processor is fastest)")
    made.add_argument("--dim", action="append", default=[], type=dimension, metavar="NAME=N",
                      help="the size of a dimension for random data; NAME is its name in the model, or INPUT:AXIS")
    choice = made.add_argument_group("layers")
    choice.add_argument("--exclude", action="append", default=[], metavar="NAME",
                        help="a node that stays in float32; wildcards * and ? are allowed")
    choice.add_argument("--keep-float", action="append", default=[], metavar="OP",
                        help="an op that stays in float32: MatMul")
    choice.add_argument("--max-drop", type=_drop, metavar="DROP",
                        help="the accuracy that may be lost: 0.5%% of the float model's, or a difference; layers go "
                             "back to float32 until it is kept")
    choice.add_argument("--eval", metavar="SCRIPT.py",
                        help="a script whose function evaluate(run) returns the accuracy; run takes and returns "
                             "dictionaries of arrays")
    report = made.add_argument_group("report")
    report.add_argument("--fail-on", action="extend", default=[], type=_kinds, metavar="KIND[,...]",
                        help="write no model and exit with 1 if a step of the quantized model is of one of these kinds: "
                             f"{', '.join(UNWANTED)}")
    report.add_argument("--json", metavar="FILE", help="write the report as JSON; - prints it instead of the table")
    report.add_argument("--html", metavar="FILE", help="write the report as a page")
    return made


def _say(text: str) -> None:
    print(f"qcc: {text}", file=sys.stderr, flush=True)


class _Job:
    """A quantization, step by step."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.model = prepare(options.model)
        dims = dict(options.dim)
        self.data: Data = open_data(options.data, inputs_of(self.model), options.samples, dims)
        self.sample: Sample = self.data.first()
        self.shapes: Dict[str, Tuple[int, ...]] = {name: array.shape for name, array in self.sample.items()}
        self.weight_bits = options.weight_bits or weight_bits_of()
        # Kernels of 7-bit weights have no expected time that holds: docs/HowTo/Quantize.md.
        self.is_priced = self.weight_bits == 8
        self.excluded = choose_nodes(self.model, options.exclude, options.keep_float)
        self.evaluate = Evaluation(options.eval) if options.eval else None
        if self.data.random:
            _say(f"WARNING: calibration on {self.data.description}. Ranges of random data say nothing about real data, "
                 "so the accuracy of the quantized model is worthless. Use it to measure times only.")

    def run(self) -> Tuple[Report, Any]:
        """The report, and the quantized model, which is not written yet."""
        reference = compile_checked(self.model, self.shapes, "the float model")
        quantized = quantize(self.model, self.data, self.options.engine, self.excluded, self.weight_bits)
        compiled = compile_checked(quantized, self.shapes, "the quantized model")
        times = measure_times(reference, compiled, self.sample, self.is_priced)
        layers = quantized_layers(quantized)
        alone = sensitivities(self.model, quantized, self.data.limited(_SENSITIVITY_SAMPLES)) if layers else {}
        ranked = rank(alone, times)
        front = choices(ranked, alone, times) if ranked else []
        found: Optional[Found] = None
        if self.evaluate is not None and self.options.max_drop is not None:
            found = self._search(quantized, ranked)
            if found.floats:
                quantized = with_float_layers(quantized, self.model, found.floats)
                compiled = compile_checked(quantized, self.shapes, "the quantized model")
                times = measure_times(reference, compiled, self.sample, self.is_priced)
        set_metadata(quantized, {"qcc.quantize.engine": self.options.engine,
                                 "qcc.quantize.weight_bits": str(self.weight_bits),
                                 "qcc.quantize.data": self.data.description})
        return self._report(quantized, reference, compiled, times, alone, front, found), quantized

    def _search(self, quantized: Any, ranked: Sequence[str]) -> Found:
        evaluate, trials = self.evaluate, 0
        assert evaluate is not None

        def accuracy_with(floats: Sequence[str]) -> float:
            nonlocal trials
            trials += 1
            accuracy = evaluate(with_float_layers(quantized, self.model, floats) if floats else quantized)
            _say(f"evaluation {trials}: {accuracy:.6g} with {len(floats)} of {len(ranked)} layers in float32")
            return accuracy

        return search(evaluate(self.model), self.options.max_drop, ranked, accuracy_with)

    def _report(self, quantized: Any, reference: Compiled, compiled: Compiled, times: Times, alone: Mapping[str, float],
                front: Sequence[Any], found: Optional[Found]) -> Report:
        samples, count = self.data, 0
        outputs: Dict[str, Distance] = {}
        for sample in samples:
            count += 1
            if {name: array.shape for name, array in sample.items()} == self.shapes:
                actual = compiled(sample)
                for name, value in reference(sample).items():
                    if value.dtype.kind == "f":
                        outputs.setdefault(name, Distance()).add(value, actual[name])
        distances = compare_values(self.model, quantized, samples)
        explanation = compiled.explanation
        layers = self._layers(quantized, explanation, distances, times, alone, found)
        return Report(
            self.options.model, self.options.output, self.options.engine, self.weight_bits, self.data.description, count,
            self.data.random, self.shapes, layers, outputs, times, self.model.ByteSize(), quantized.ByteSize(),
            tuple(front), found, tuple(unwanted_steps(explanation, self.options.fail_on)))

    def _layers(self, quantized: Any, explanation: Explanation, distances: Mapping[str, Distance], times: Times,
                alone: Mapping[str, float], found: Optional[Found]) -> Tuple[Layer, ...]:
        integers = set(quantized_layers(quantized))
        contractions = {node.name for node in layers_of(self.model)}
        products = products_of(quantized, explanation)
        rows = []
        for node in self.model.graph.node:
            precision = reason = generic = ""
            if node.name in contractions:
                of_qcc = products.get(node.name)
                is_float = node.name not in integers if of_qcc is None else of_qcc.is_float
                precision = "float32" if is_float else "int8"
                reason = self._reason(node.name, integers, of_qcc, found) if is_float else ""
                generic = (of_qcc.reason or "no reason is known") if of_qcc and of_qcc.is_generic else ""
            distance = next((distances[name] for name in node.output if name in distances), None)
            rows.append(Layer(node.name, node.op_type, precision, reason, generic, distance, alone.get(node.name),
                              times.layers_before.get(node.name), times.layers_after.get(node.name),
                              times.saved(node.name), times.is_expected(node.name)))
        return tuple(rows)

    def _reason(self, name: str, integers: Any, products: Optional[Products], found: Optional[Found]) -> str:
        if name in self.excluded:
            return "--exclude or --keep-float"
        if found is not None and name in found.floats:
            return "--max-drop"
        if name in integers:
            refused = products.reason if products is not None else ""
            return f"qcc multiplies float32: {refused or 'it does not see both operands as dequantized values'}"
        return f"{self.options.engine} does not quantize both of its operands"


def run(options: argparse.Namespace) -> int:
    """Quantizes a model; returns the exit code."""
    if "-" in (options.output, options.html):
        raise UsageError("'-' names no file; give -o and --html a name")
    check_outputs([path for path in (options.model, options.data, options.eval) if path],
                  [options.output, options.html, options.json])
    for name in ("onnx", "onnxruntime"):
        need(name, "quantize")
    if options.engine == "nncf":
        need_nncf()
    with quiet():
        report, quantized = _Job(options).run()
    if options.json and options.json != "-":
        write_file(options.json, _json(report).encode())
    if options.html:
        write_file(options.html, page(report).encode())
    print(_json(report) if options.json == "-" else report, end="" if options.json == "-" else "\n")
    if not any(layer.precision == "int8" for layer in report.contractions):
        _say("WARNING: no contraction multiplies int8, so the model is as slow as before")
    if report.found is not None and not report.found.accepted:
        print(f"qcc: error: the accuracy is {report.found.accuracy:.6g} even with all layers in float32, and at least "
              f"{report.found.least:.6g} is asked for; {options.output} is not written", file=sys.stderr)
        return DIFFERS
    if report.unwanted:
        print(f"qcc: error: --fail-on refuses {count_of(len(report.unwanted), 'step')}: {', '.join(report.unwanted)}; "
              f"{options.output} is not written", file=sys.stderr)
        return DIFFERS
    write_file(options.output, quantized.SerializeToString())
    return SUCCESS


def _json(report: Report) -> str:
    return json.dumps(report.to_json(), indent=2) + "\n"


def main(arguments: Optional[List[str]] = None) -> int:
    made = parser()
    options = made.parse_args(arguments)
    if (options.max_drop is None) != (options.eval is None):
        made.error("--max-drop and --eval need each other")
    return run_on_model("quantize", options.model, lambda: run(options))
