"""walkthrough.py [--check] [--qcc=PATH]: writes the code of docs/Walkthrough.md again, as qcc makes it now.

The text of the page is written by hand. A comment `<!-- excerpt: NAME -->` before a block of code names what this script
puts into the block: parts of a program after a stage, of assembly, or of PTX. With --check nothing is written; the exit
code is 1 if the page is stale.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "Walkthrough.md"
WIDTH = 116

LINEAR = ["docs/examples/tf_linear.mlir", "--weights=random:7"]
CONVOLUTION = ["conv.onnx"]
X86 = ["--mcpu=cascadelake"]
CUDA = ["--target=cuda", "--mcpu=sm_80"]

# NAME: (program, target, what is emitted, parts). A part is (first line, last line), as patterns; the last line is the
# first match at or after the first line. A first line (A, B, C) is the last match of A before the first match of C behind
# the first one of B. Text that is left out between two parts becomes "...".
EXCERPTS = {
    "linear-import": (LINEAR, X86, "import", [
        (r"func\.func", r"func\.func"), (r"linalg\.matmul", r"sitofp"), (r"arith\.divf", r"roundeven"),
        (r"arith\.fptosi", r"return")]),
    "linear-graph": (LINEAR, X86, "graph", [(r"func\.func", r"tensor\.extract")]),
    "linear-tensor": (LINEAR, X86, "tensor", [(r"\"reduction\"", r"-> tensor"), (r"maximumf\+minimumf", r"-> tensor")]),
    "linear-kernel": (LINEAR, X86, "kernel", [(r"func\.func", r"return")]),
    "linear-buffer": (LINEAR, X86, "buffer", [
        (r"step0\(%arg0", r"kernel\.contract"), (r"@tf_linear\(", r"@tf_linear\("), (r"call @", r"return")]),
    "linear-target": (LINEAR, X86, "target", [
        (r"vector\.load .*memref<2048xi32>", r"arith\.subi"), (r"scf\.for .*c512 .*iter_args", r"vpdpbusd"),
        (r"scf\.yield", r"sitofp"), (r"arith\.fptosi", r"arith\.fptosi"),
        (r"vector\.transfer_write", r"vector\.transfer_write")]),
    "linear-asm-loop": (LINEAR, X86, "asm", [((r"^\.LBB", r"vpdpbusd"), r"jne")]),
    "linear-asm-epilogue": (LINEAR, X86, "asm", [(r"vcvtdq2ps", r"vcvttps2dq"), (r"vpmovdb", r"vpmovdb")]),
    "linear-ptx": (LINEAR, CUDA, "ptx", [((r"^\$L__BB", r"ldmatrix", r"cp\.async\.cg"), r"bra")]),
    "conv-import": (CONVOLUTION, X86, "import", [
        (r"linalg\.transpose", r"linalg\.transpose"), (r"qnn\.conv2d", r"qnn\.conv2d"), (r"linalg\.transpose", r"return")]),
    "conv-tensor": (CONVOLUTION, X86, "tensor", [
        (r"tensor\.pad", r"to tensor"), (r"\"reduction\"", r"-> tensor"), (r"ins\(%4, ", r"-> tensor")]),
    "conv-kernel": (CONVOLUTION, X86, "kernel", [(r"kernel\.contract", r"lowering_config")]),
    "conv-explain": (CONVOLUTION, X86, "explain", [(r"^entry", r"not amx")]),
}

# Groups of instructions: (pattern, comment). The comment comes before the first lines in a row that a pattern matches, of
# which four are shown. Groups that come again are left out.
X86_GROUPS = [
    (r"^\.LBB", "One slice of K: 4 elements of K, for 6 rows and 64 columns."),
    (r"movq|shlq", "Where the weights of this slice are."),
    (r"vmovdqu64", "64 columns of weights, each with its 4 elements of K."),
    (r"vpbroadcastd", "4 elements of K of a row of activations, in all lanes."),
    (r"vpdpbusd", "Add 4 products to each of 16 i32 sums."),
    (r"incq|addq|jne", "The next slice."),
    (r"vcvtdq2ps", "Sums to f32."),
    (r"vaddps", "Bias."),
    (r"vmaxps +%zmm1|vcmpunordps|vmovaps.*\{%k1\}$", "Relu; NaN stays NaN."),
    (r"vdivps", "Division by the scale."),
    (r"vrndscaleps", "Round, halves to even."),
    (r"vmaxps|vminps", "Clip to [-128, 127]."),
    (r"vcmpordps|vmovaps.*\{z\}", "NaN becomes 0."),
    (r"vcvttps2dq", "To i32."),
    (r"vpmovdb", "Store the low bytes."),
]
PTX_GROUPS = [
    (r"^\$L__BB", "One slice of K."),
    (r"cp\.async\.wait_group", "The copies of the next slice are done."),
    (r"bar\.sync", "They are done by all threads, and no thread reads the buffer that is filled next."),
    (r"cp\.async\.cg", "Copy a later slice to shared memory, 16 bytes at once."),
    (r"cp\.async\.commit", "These copies are one group."),
    (r"ldmatrix", "Load fragments of the next products from shared memory."),
    (r"mma\.sync", "Add 32 products of the fragments at hand to each of 16 x 8 i32 sums."),
    (r"setp\.eq|selp", "The next buffer of the ring."),
    (r"setp|bra", "The next slice, after the last products of this one."),
]
HIDDEN = r"\.pragma|^add\.s64|^shl\.b64|^mov\.b64|^\{"


def make_convolution(path):
    """An ONNX model of one QLinearConv."""
    import numpy
    from onnx import TensorProto, helper, numpy_helper

    rng = numpy.random.default_rng(7)
    constants = {
        "x_scale": numpy.float32(0.02), "x_zero": numpy.uint8(128),
        "w": rng.integers(-127, 128, (16, 8, 3, 3), dtype=numpy.int8),
        "w_scale": numpy.linspace(0.01, 0.02, 16, dtype=numpy.float32), "w_zero": numpy.zeros(16, numpy.int8),
        "y_scale": numpy.float32(0.05), "y_zero": numpy.uint8(120),
        "bias": rng.integers(-999, 999, 16, dtype=numpy.int32),
    }
    node = helper.make_node("QLinearConv", ["x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"],
                            ["y"], name="conv1", pads=[1, 1, 1, 1])
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("x", TensorProto.UINT8, ["batch", 8, 14, 14])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, ["batch", 16, 14, 14])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())


class Compiler:
    """Runs qcc, once for each program, target and stage."""

    def __init__(self, qcc, folder):
        self.qcc, self.folder, self.texts = qcc, folder, {}
        make_convolution(folder / "conv.onnx")

    def emit(self, program, target, stage):
        key = (*program, *target, stage)
        if key not in self.texts:
            is_of_tree = program[0].startswith("docs/")
            command = [self.qcc, "explain" if stage == "explain" else "compile", *program, *target]
            if stage != "explain":
                command += [f"--emit={stage}", "-o", "-"]
            # The page shows paths as they are given here.
            done = subprocess.run(command, cwd=ROOT if is_of_tree else self.folder, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
            self.texts[key] = done.stdout
        return self.texts[key]


def find(lines, pattern, start, name):
    for i in range(start, len(lines)):
        if re.search(pattern, lines[i]):
            return i
    sys.exit(f"{name}: no line matches {pattern}")


def find_first(lines, first, start, name):
    """Where a part begins."""
    if isinstance(first, str):
        return find(lines, first, start, name)
    before = start
    for pattern in first[1:]:
        before = find(lines, pattern, before, name)
    return max(i for i in range(start, before) if re.search(first[0], lines[i]))


def select(text, parts, name):
    """The lines of the parts, and "..." for what is left out between them."""
    lines, position, chosen = text.splitlines(), 0, []
    for first, last in parts:
        start = find_first(lines, first, position, name)
        end = find(lines, last, start, name)
        if chosen and start > position:
            chosen.append("...")
        chosen += lines[start:end + 1]
        position = end + 1
    return chosen


def shorten(line):
    """A line of MLIR without the many types and arguments that are alike."""
    line = re.sub(r"(vector<16xi32>)(, vector<16xi32>){3,}", r"\1, ...", line)
    line = re.sub(r"((?:%arg\d+ = %\d+, ){2})(?:%arg\d+ = %\d+, ){4,}", r"\1..., ", line)
    return re.sub(r"((?:%\d+, ){3})(?:%\d+, ){9,}", r"\1..., ", line)


def fold(line):
    """A line in pieces of at most WIDTH columns, broken at spaces."""
    indent = re.match(r" *", line).group()
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent + "    ", break_long_words=False, break_on_hyphens=False)


def arrange(lines):
    """MLIR without the indentation that all lines have."""
    indent = min(len(line) - len(line.lstrip()) for line in lines if line != "...")
    return [piece for line in lines for piece in fold(line if line == "..." else shorten(line[indent:]))]


def annotate(lines, groups, comment):
    """Assembly with a comment before each group of instructions."""
    result, seen, last, count = [], set(), None, 0
    for line in map(str.strip, lines):
        if re.search(HIDDEN, line):
            continue
        group = next((i for i, (pattern, _) in enumerate(groups) if re.search(pattern, line.replace("\t", " "))), None)
        count = count + 1 if group == last else 1
        if line == "..." or count > 4 or (count == 1 and group in seen) or (group != last and group is None):
            if result[-1] != "    ...":
                result.append("    ...")
            last = None if count == 1 else group
            continue
        if count == 1:
            result.append(f"    {comment} {groups[group][1]}")
        seen.add(group)
        last = group
        name, _, operands = line.partition("\t")
        result.append(line if line[0] in ".$" else f"    {name:<13}{operands.strip()}".rstrip())
    return result


def excerpt(name, compiler):
    program, target, stage, parts = EXCERPTS[name]
    lines = select(compiler.emit(program, target, stage), parts, name)
    if stage == "asm":
        return annotate(lines, X86_GROUPS, "#")
    if stage == "ptx":
        return annotate(lines, PTX_GROUPS, "//")
    return lines if stage == "explain" else arrange(lines)


def regenerate(page, compiler):
    def replace(match):
        return f"{match.group(1)}{match.group(3)}\n" + "\n".join(excerpt(match.group(2), compiler)) + "\n```"

    return re.sub(r"(<!-- excerpt: (\S+) -->\n\n?)(```\w*)\n.*?```", replace, page, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--qcc", default=str(ROOT / "build/release/bin/qcc"))
    options = parser.parse_args()
    old = PAGE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        new = regenerate(old, Compiler(options.qcc, pathlib.Path(folder)))
    unused = set(EXCERPTS) - set(re.findall(r"<!-- excerpt: (\S+) -->", new))
    if unused:
        sys.exit(f"the page lacks {', '.join(sorted(unused))}")
    if options.check and new != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "docs/Walkthrough.md", "now"))
        sys.exit("docs/Walkthrough.md is stale; run utils/walkthrough.py")
    if new != old:
        temporary = PAGE.with_suffix(".tmp")
        temporary.write_text(new)
        os.replace(temporary, PAGE)


if __name__ == "__main__":
    main()
