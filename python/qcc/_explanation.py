# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says of a program."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Mapping, Optional, Tuple

from ._table import table

#: Kinds of steps that tests of a model may refuse, as `qcc explain --fail-on` takes them.
UNWANTED = ("float-contraction", "generic-contraction", "generic", "packing")


@dataclasses.dataclass(frozen=True)
class ExplainedStep:
    """A step of a function, and what the compiler decided for it."""

    function: str
    name: str  #: such as "main.step0.contract", as in profiles
    layer: str  #: the name of its layer in the model, or ""
    model_op: str  #: the type of its node in an ONNX model, such as "Conv", or ""
    #: what it computes: "integer contraction", "float contraction", "reduction", "elementwise", "data movement",
    #: "packing" or "control flow"
    work: str
    location: str  #: "file:line:column", or ""
    fused: Tuple[str, ...]  #: the ops that it is made of
    operations: str  #: arithmetic operations, in terms of the dynamic sizes d0, d1, ...
    bytes: str  #: read and written, likewise
    atom: str  #: the instruction of a contraction; "" for other steps
    config: str  #: how the instruction is used
    config_source: str  #: who decided: the cost model, a measurement, the program
    expected_share_of_peak: Optional[float]  #: of a contraction
    #: what one thread is expected to take, by a model; None where sizes or the speed of the target are not known
    expected_seconds: Optional[float]
    refused: str  #: why it is not fast, or ""
    not_tuned: str  #: why a measurement is not used, or ""
    atoms_refused: Tuple[str, ...]  #: better instructions, and why not
    unwanted: Tuple[str, ...]  #: the kinds of UNWANTED that it is of


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What became of a program for one processor; its text is a table."""

    target: str
    steps: Tuple[ExplainedStep, ...]
    artifact_bytes: int
    data: Mapping[str, Any]  #: all of it, as `qcc explain --json` prints it

    def __str__(self) -> str:
        rows = [("step", "layer", "made of", "computed by")]
        for step in self.steps:
            how = f"{step.atom} ({step.config_source})" if step.atom else "generic loops"
            rows.append((step.name, f"{step.model_op} {step.layer}".strip(), ", ".join(step.fused), how))
        lines = table(rows).splitlines()
        text = lines[:1]
        for line, step in zip(lines[1:], self.steps):
            text.append(line)
            reasons = [f"why: {step.refused}"] if step.refused else []
            reasons += [f"not tuned: {step.not_tuned}"] if step.not_tuned else []
            text += [f"    {reason}" for reason in reasons + [f"not {atom}" for atom in step.atoms_refused]]
        count = "1 step" if len(self.steps) == 1 else f"{len(self.steps)} steps"
        return "\n".join([*text, f"{count} for {self.target}, artifact of {self.artifact_bytes} bytes"])


def _read_step(step: Mapping[str, Any]) -> ExplainedStep:
    return ExplainedStep(
        function=step["entry"], name=step["step"], layer=step["layer"], model_op=step["model_op"], work=step["work"],
        location=step["location"], fused=tuple(step["fused"]), operations=step["operations"], bytes=step["bytes"],
        atom=step.get("atom", ""), config=step.get("config", ""), config_source=step.get("config_source", ""),
        expected_share_of_peak=step.get("expected_share_of_peak"),
        expected_seconds=step.get("expected_seconds"), refused=step.get("refused", ""),
        not_tuned=step.get("not_tuned", ""), atoms_refused=tuple(step.get("atoms_refused", ())),
        unwanted=tuple(step["unwanted"]))


def read_explanation(text: str) -> Explanation:
    """The explanation that JSON has."""
    data = json.loads(text)
    steps = tuple(_read_step(step) for step in data["kernels"])
    return Explanation(data["target"], steps, data["artifact_bytes"], data)
