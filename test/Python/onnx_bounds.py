"""How far results of ONNX ops may be from those of ONNX Runtime or onnx.reference: one row for each group of ops.

test_onnx_schemas.py reads the rows. docs/Numerics.md has them as a table, which `python test/Python/onnx_bounds.py` writes.
"""

import dataclasses
import pathlib

import numpy as np

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "Numerics.md"
MICROSOFT = "com.microsoft::"

#: What an ulp is counted in: the result itself, the result but at least 1, or the greatest magnitude of all elements of the
#: result, but at least 1 and at most 1,000.
OWN, ONE, GREATEST = "the result", "the result, at least 1", "the greatest result, at least 1"


@dataclasses.dataclass(frozen=True)
class Bound:
    #: Names of ops; those of com.microsoft after the others.
    ops: str
    microsoft: str
    #: The greatest distance of floats, in units in the last place of `unit`.
    ulps: float
    unit: str
    #: Why results differ at all.
    reason: str
    #: The greatest distance of integers.
    integers: int = 0

    def names(self):
        return [*self.ops.split(), *(MICROSOFT + op for op in self.microsoft.split())]

    def tolerance(self, expected, amplification=1.0):
        """The greatest distance of each element of floats that are expected."""
        size = np.abs(np.where(np.isfinite(expected), expected, 0).astype(np.float64))
        if self.unit == ONE:
            size = np.maximum(size, 1)
        elif self.unit == GREATEST:
            size = np.maximum(size, np.clip(size.max(initial=0), 1, 1e3))
        info = np.finfo(expected.dtype)
        return amplification * self.ulps * info.eps * size + (float(info.smallest_subnormal) if self.ulps else 0)


#: Ops without a row are exact: integers and floats equal those of the other engine, and NaN is where it has NaN.
EXACT = Bound("", "", 0, OWN, "each step is exact or rounded once")
ROWS = (
    Bound("Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Exp Log Pow Sin Sinh Tan Tanh", "", 4, OWN,
          "a function is within 1.5 ulps of the exact result here (N8), and within 2 in ONNX Runtime"),
    Bound("LeakyRelu Softsign", "", 2, OWN, "a factor or a sum is rounded here; ONNX Runtime rounds once, float16 at the end"),
    Bound("Celu Elu Gelu Selu Sigmoid Softplus Swish", "BiasGelu FastGelu Gelu QuickGelu", 4, ONE,
          "1 is added or subtracted, whose ulps remain in a small result; ONNX Runtime approximates sigmoid by a quotient"),
    Bound("Mish", "", 8, ONE, "the same, in three functions"),
    Bound("Conv ConvTranspose Einsum Gemm MatMul",
          "DynamicQuantizeMatMul FusedConv FusedGemm FusedMatMul MatMulIntegerToFloat MatMulNBits QGemm TransposeMatMul", 8, GREATEST,
          "order of the sum, and products that ONNX Runtime does not round; before an activation, ulps of the greatest sum of "
          "magnitudes; the integers are those floats, rounded", 1),
    Bound("AveragePool GlobalAveragePool GlobalLpPool LpPool Mean ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean "
          "ReduceProd ReduceSum ReduceSumSquare Sum", "", 4, GREATEST, "order of the sum or product, then root, log or quotient"),
    Bound("LogSoftmax LpNormalization Softmax", "", 4, GREATEST, "order of the sum, exp within 1.02 ulps"),
    Bound("BatchNormalization GroupNormalization InstanceNormalization LayerNormalization RMSNormalization",
          "EmbedLayerNormalization QEmbedLayerNormalization SkipLayerNormalization SkipSimplifiedLayerNormalization", 4, GREATEST,
          "order of two sums, rsqrt within 1.5 ulps"),
    Bound("LRN", "", 16, GREATEST, "order of the sum, whose power multiplies its error"),
    Bound("GRU LSTM RNN", "", 8, GREATEST, "order of sums, step after step; with Relu or Affine times the steps and the greatest sum of "
          "magnitudes of a row of R"),
    Bound("Attention RotaryEmbedding", "Attention GroupQueryAttention MultiHeadAttention QAttention RotaryEmbedding", 8, GREATEST,
          "order of three sums, exp within 1.02 ulps"),
    Bound("GridSample", "GridSample", 4, GREATEST, "order of the sum of neighbours and weights"),
    Bound("Resize", "", 32, GREATEST, "places and weights are computed in binary64 here, in float32 by ONNX Runtime; integers "
          "are truncated", 1),
    Bound("", "DynamicQuantizeLSTM", 2 ** 17, GREATEST,
          "a state that differs in its last bit may become the next of 256 integers, 1/64 at most in the result"),
)
BOUNDS = {name: bound for bound in ROWS for name in bound.names()}


def table():
    """The rows as lines of Markdown."""
    lines = ["| ops | floats | in ulps of | integers | why results differ |", "| --- | --- | --- | --- | --- |"]
    for b in ROWS:
        ops = ", ".join(f"`{op}`" for op in b.ops.split())
        if b.microsoft:
            ops += ("; " if ops else "") + "of com.microsoft: " + ", ".join(f"`{op}`" for op in b.microsoft.split())
        lines.append(f"| {ops} | {b.ulps:g} | {b.unit} | {b.integers} | {b.reason} |")
    return lines


def main():
    """Writes the table into the page, in place of the one that is there."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    first = lines.index(table()[0])
    last = next(i for i in range(first, len(lines)) if not lines[i].startswith("|"))
    PAGE.write_text("\n".join([*lines[:first], *table(), *lines[last:]]), encoding="utf-8")


if __name__ == "__main__":
    main()
