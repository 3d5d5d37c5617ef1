"""The page of utils/quantized-models.py, and what its columns have to be."""

import dataclasses
from typing import Optional

#: The float metric that an int8 model may lose.
MOST_LOST = 0.005
#: The latencies of two models are the same within this, as interleaved medians vary.
NOISE = 0.02
ENGINES = ("float32", "qcc", "ORT", "NNCF")


@dataclasses.dataclass(frozen=True)
class Figures:
    """What is measured of a model that an engine made. What is None could not be measured."""
    metric: Optional[float] = None
    distance: Optional[float] = None  # relative, of all outputs
    microseconds: Optional[float] = None
    integers: Optional[int] = None  # contractions that multiply integers
    reason: str = ""  # why nothing is measured


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    source: str  # the package, with its version
    metric: str
    command: str
    contractions: int
    figures: dict  # of engines

    def is_accurate(self):
        return self.figures["qcc"].metric >= self.figures["float32"].metric * (1 - MOST_LOST)

    def is_fast(self):
        """At most the latency of the int8 models that others make by their defaults."""
        others = [self.figures[engine].microseconds for engine in ENGINES[2:] if self.figures[engine].microseconds]
        return not others or self.figures["qcc"].microseconds <= min(others) * (1 + NOISE)

    def result(self):
        wrong = [what for what, is_right in (("accuracy", self.is_accurate()), ("latency", self.is_fast())) if not is_right]
        return "; ".join(wrong) if wrong else "pass"

    @staticmethod
    def from_json(data):
        return Row(**{**data, "figures": {engine: Figures(**figures) for engine, figures in data["figures"].items()}})


def cell(value, form):
    return "–" if value is None else format(value, form)


def time_of(microseconds):
    return "–" if microseconds is None else f"{microseconds / 1000:.3g} ms"


PAGE = """\
<!-- Written by utils/quantized-models.py. -->

# Quantized models

This page shows what [`qcc quantize`](HowTo/Quantize.md) makes of float models that others published as Python packages.
`utils/quantized-models.py --table=docs/Quantized.md` measures them and writes this page. One command quantizes each
model. The int8 model may lose 0.5 % of the float model's accuracy. Two other libraries quantize the model by their
defaults, and the model of qcc must be as fast as theirs.

## Models

{models}

The scripts in `utils/quantized_models` make the inputs, and the packages prepare them for the models. Inputs for
calibration and for the evaluation differ. Pictures show words of this repository's pages in fonts of matplotlib, with
blur and noise by chance.

## Accuracy

*qcc* is the model that the command writes. *ORT* is the model of `quantize_static` of ONNX Runtime {ort}, and *NNCF* is
the model of `nncf.quantize` of NNCF {nncf}, both with their defaults. These two libraries get the model as qcc prepares
it, with the same samples. qcc runs all models.

{accuracy}

A *distance* is the root of the sum of squared differences from the float model's outputs, relative to these outputs. It
decides nothing, since each model has a metric.

## Latency

Medians of {rounds} rounds on one thread, in which the four models run in turn, on this processor: {processor}.
Processor time counts, since other programs ran at the same time.
{instructions}

{latency}

*Integers* is how many of the contractions multiply int8, in the models of qcc, ORT and NNCF. A model passes if it keeps
99.5 % of the float metric, and takes at most the latency of the faster of the other two int8 models. Latencies within
{noise:.0f} % count as equal.

## Commands

In the folder that `utils/quantized-models.py` fetches the packages to; `$qcc` is this repository:

```sh
{commands}
```

{total}
"""


def markdown(head, rows):
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def page(rows, processor, instructions, versions, rounds, missing=()):
    """The page; `missing` are names of models that nobody measured."""
    def cells(of_engine, engines=ENGINES):
        return lambda row: [of_engine(row.figures[engine]) for engine in engines]

    metrics = cells(lambda figures: figures.reason or cell(figures.metric, ".2%"))
    distances = cells(lambda figures: cell(figures.distance, ".3f"), ENGINES[1:])
    times = cells(lambda figures: time_of(figures.microseconds))
    integers = cells(lambda figures: cell(figures.integers, "d"), ENGINES[1:])
    passed = sum(row.result() == "pass" for row in rows)
    return PAGE.format(
        models=markdown(["model", "package", "metric"], [[row.name, row.source, row.metric] for row in rows]),
        accuracy=markdown(["model", *(f"metric: {ENGINES[0]}", *ENGINES[1:]), "distance: qcc", *ENGINES[2:]],
                          [[row.name, *metrics(row), *distances(row)] for row in rows]),
        latency=markdown(["model", *(f"latency: {ENGINES[0]}", *ENGINES[1:]), "contractions", "integers: qcc",
                          *ENGINES[2:], "result"],
                         [[row.name, *times(row), str(row.contractions), *integers(row), row.result()] for row in rows]),
        commands="\n".join(row.command for row in rows), processor=processor, instructions=instructions, noise=100 * NOISE,
        rounds=rounds, total=f"Of {len(rows)} models, {passed} pass." + (f" Not measured: {', '.join(missing)}." if missing else ""),
        **versions)
