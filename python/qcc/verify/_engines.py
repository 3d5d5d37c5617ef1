# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engines, and the settings that each is run with."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import tempfile
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .. import __version__
from .._compile import compile, processors
from .._layers import reason_of, show_values
from .._packages import hide_telemetry, need
from .._module import load
from ..errors import Error, UnsupportedError
from ._rows import Results, Sample

#: The value of each axis, such as {"level": "all", "threads": "4"}.
Setting = Mapping[str, str]
Run = Callable[[Sample], Results]


class CannotRun(Exception):
    """An engine does not run the model with a setting; the text is the reason."""


@dataclasses.dataclass(frozen=True)
class Engine:
    """What runs a model, and how."""

    name: str  #: with its version
    settings: Tuple[Setting, ...]  #: all with the same axes
    load: Callable[[Setting], Run]  #: raises CannotRun, and so does what it returns


def every_setting(**axes: Iterable[Any]) -> Tuple[Setting, ...]:
    """All combinations of values; those of the last axis change fastest."""
    return tuple(dict(zip(axes, map(str, values))) for values in itertools.product(*axes.values()))


#: GPUs with tensor instructions of their own.
CHIPS = ("sm_75", "sm_80", "sm_90a")

_SMALLEST = """
func.func @identity(%x: tensor<1xf32>) -> tensor<1xf32> {
  return %x : tensor<1xf32>
}
"""


def _is_chip(target: str) -> bool:
    """Whether a target is a GPU."""
    return target.startswith("sm_")


def _refusals(targets: Sequence[str], device: Optional[str]) -> Dict[str, str]:
    """Why this machine does not run code for some targets: for GPUs on a device, for processors on the host."""
    with tempfile.TemporaryDirectory(prefix="qcc-verify-") as folder:
        path = os.path.join(folder, "smallest.so")
        # Without code for the host an artifact cannot be loaded here.
        compile(_SMALLEST, target=[*dict.fromkeys([*targets, processors()[0]])]).save(path)
        variants = {False: load(path).variants, True: load(path, device=device).variants}
    found = {}
    for target in targets:
        for variant in variants[_is_chip(target)]:
            if variant.target == target and variant.refusal:
                found[target] = variant.refusal
    return found


def choose_targets(given: Sequence[str], device: Optional[str]) -> List[str]:
    """The targets to compile for: those that are given, or of the usual ones those that this machine runs.

    Raises:
        UnsupportedError: this machine does not run code for a target that is given.
    """
    asked = list(given) or [*processors(), "native", *(CHIPS if device is not None else ())]
    refusals = _refusals(asked, device)
    for target in given:
        if target in refusals:
            raise UnsupportedError(f"this machine does not run code for {target}: {refusals[target]}; name another "
                                   "target by --mcpu, or a GPU by --device")
    return [target for target in asked if target not in refusals]


class _Compiled:
    """A model that qcc compiles for one setting after the other."""

    def __init__(self, model: Any, name: str, fixed: Mapping[str, Any], device: Optional[str]) -> None:
        self._outputs = [value.name for value in model.graph.output]
        self._name, self._fixed, self._device = name, fixed, device
        unfused = type(model)()
        unfused.CopyFrom(model)
        show_values(unfused)
        self._sources = {"fused": model.SerializeToString(), "unfused": unfused.SerializeToString()}
        self.module = functools.lru_cache(maxsize=1)(self._module)

    def _module(self, level: str, target: str) -> Any:
        source, on_device = self._sources[level], _is_chip(target)
        # A GPU runs what a file of code for it and for the host holds.
        module = compile(source, target=[processors()[0], target] if on_device else target, name=self._name,
                         **self._fixed)
        if not on_device:
            return module
        with tempfile.TemporaryDirectory(prefix="qcc-verify-") as folder:
            path = os.path.join(folder, "model.so")
            module.save(path)
            return load(path, device=self._device, variant=target, private_copy=True)

    def load(self, setting: Setting) -> Run:
        try:
            function = self.module(setting["level"], setting["target"]).function(threads=int(setting["threads"]))
        except Error as error:
            if setting["level"] == "fused":
                raise
            # A value between nodes may be of a type that no result has.
            raise CannotRun(reason_of(error)) from error

        def run(sample: Sample) -> Results:
            results = function(*(sample[argument.name] for argument in function.arguments))
            return dict(zip(self._outputs, results if isinstance(results, tuple) else (results,)))

        return run


def qcc_engine(model: Any, name: str, targets: Sequence[str], threads: Sequence[int], fixed: Mapping[str, Any],
               device: Optional[str] = None) -> Tuple[Engine, Any]:
    """qcc, and the function that it makes of the model for the first target.

    Args:
        model: a ModelProto.
        name: what messages call the model.
        targets: processors that this host has, and GPUs that `device` runs.
        threads: how many threads run a function.
        fixed: what `compile` takes: `dims` and `shapes`.
        device: what runs code for GPUs.

    Raises:
        What `compile` raises.
    """
    compiled = _Compiled(model, name, fixed, device)
    settings = tuple(setting for setting in every_setting(level=("fused", "unfused"), target=targets, threads=threads)
                     if not _is_chip(setting["target"]) or setting["threads"] == str(threads[0]))
    function = compiled.module("fused", targets[0]).function(threads=threads[0])
    return Engine(f"qcc {__version__}", settings, compiled.load), function


def _guarded(run: Callable[..., Any], *arguments: Any) -> Any:
    """What `run` returns. Other engines raise exceptions of any kind if they lack an op."""
    try:
        return run(*arguments)
    except MemoryError:
        raise
    except Exception as error:
        raise CannotRun(reason_of(error)) from error


def _onnxruntime(model: Any, threads: Sequence[int]) -> Engine:
    ort = need("onnxruntime")
    levels = {"disabled": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
              "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
              "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
              "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}
    source = model.SerializeToString()
    outputs = [value.name for value in model.graph.output]

    def load_session(setting: Setting) -> Run:
        options = ort.SessionOptions()
        options.graph_optimization_level = levels[setting["level"]]
        options.intra_op_num_threads = int(setting["threads"])
        options.log_severity_level = 4
        session = _guarded(ort.InferenceSession, source, options, None, None)
        return lambda sample: dict(zip(outputs, _guarded(session.run, outputs, sample)))

    return Engine(f"onnxruntime {ort.__version__}", every_setting(level=levels, threads=threads), load_session)


def _openvino(model: Any, threads: Sequence[int]) -> Engine:
    hide_telemetry()
    openvino = need("openvino")
    levels = {"accuracy": {"EXECUTION_MODE_HINT": "ACCURACY"},
              "performance": {"EXECUTION_MODE_HINT": "PERFORMANCE"},
              "performance in f32": {"EXECUTION_MODE_HINT": "PERFORMANCE", "INFERENCE_PRECISION_HINT": "f32"}}
    outputs = [value.name for value in model.graph.output]
    core = openvino.Core()
    read = _guarded_once(lambda: core.read_model(model.SerializeToString()))

    def load_model(setting: Setting) -> Run:
        options = {**levels[setting["level"]], "INFERENCE_NUM_THREADS": setting["threads"]}
        compiled = _guarded(core.compile_model, read(), "CPU", options)

        def run(sample: Sample) -> Results:
            results = _guarded(compiled, sample)
            return {name: np.array(results[index]) for index, name in enumerate(outputs)}

        return run

    version = openvino.__version__.split("-")[0]
    return Engine(f"openvino {version}", every_setting(level=levels, threads=threads), load_model)


def _guarded_once(make: Callable[[], Any]) -> Callable[[], Any]:
    """A function that makes something when it is called first."""
    return functools.lru_cache(maxsize=None)(lambda: _guarded(make))


#: What --against names: a function of a ModelProto and the numbers of threads.
OTHER_ENGINES: Dict[str, Callable[[Any, Sequence[int]], Engine]] = {"onnxruntime": _onnxruntime, "openvino": _openvino}

