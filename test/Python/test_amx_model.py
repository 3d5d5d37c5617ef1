"""The model's choices for AMX, against the candidates of docs/benchmarks/amx.md."""

import re
import subprocess

import pytest
from program import ROOT, build_dir

TABLE = ROOT / "docs" / "benchmarks" / "amx.md"

# A linear layer of signed bytes with a scale for each channel and an int8 result, as the kernel stage has it.
LAYER = """
func.func @layer{m}x{n}x{k}(%x: tensor<{m}x{k}xi8>, %o: tensor<{m}x{n}xi8>) -> tensor<{m}x{n}xi8> {{
  %w = arith.constant dense<1> : tensor<{n}x{k}xi8>
  %s = arith.constant dense<0.01> : tensor<{n}xf32>
  %y = kernel.contract lhs(%x : tensor<{m}x{k}xi8>) rhs(%w : tensor<{n}x{k}xi8>)
      epilogue_ins(%s : tensor<{n}xf32>) outs(%o : tensor<{m}x{n}xi8>)
      {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                        affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
       reduction_dims = array<i64: 2>, reduction_sizes = array<i64: {k}>}}
      epilogue {{
      ^bb0(%acc: i32, %scale: f32):
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %zero = arith.constant 0.0 : f32
        %f = arith.sitofp %acc : i32 to f32
        %v = arith.mulf %f, %scale : f32
        %a = arith.maximumf %v, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %nan = arith.cmpf uno, %r, %r : f32
        %number = arith.select %nan, %zero, %r : f32
        %i = arith.fptosi %number : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q : i8
      }} -> tensor<{m}x{n}xi8>
  return %y : tensor<{m}x{n}xi8>
}}
"""

CONFIG = re.compile(
    r'atom = "([^"]*)", tile = \[(\d+), (\d+), (\d+)\], block = \[(\d+), (\d+)\], lhs = (\w+)'
)


def rows():
    """(shape, choice of the model before the fit, gain of the best AMX candidate)."""
    result = []
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 4 and re.fullmatch(r"\d+x\d+x\d+", cells[1]):
            shape = tuple(int(size) for size in cells[1].split("x"))
            result.append((shape, cells[2], float(cells[4])))
    return result


@pytest.fixture(scope="module")
def choices():
    """The model's choice of each row, in the table's words."""
    text = "".join(LAYER.format(m=m, n=n, k=k) for (m, n, k), _, _ in rows())
    done = subprocess.run(
        [build_dir() / "bin" / "qcc-opt", "-select-lowering-config=target=sapphirerapids"],
        input=text, capture_output=True, text=True, check=True,
    )
    found = {}
    for function in done.stdout.split("func.func @layer")[1:]:
        shape = tuple(int(size) for size in function.split("(")[0].split("x"))
        atom, mr, nr, kr, mc, nc, lhs = CONFIG.search(function).groups()
        place = lhs.replace("_", " ")
        found[shape] = f"{atom} tile {mr}x{nr}x{kr} block {mc}x{nc} {place}"
    return found


def test_the_table_is_read():
    assert len(rows()) == 80


def test_amx_is_taken_where_it_gained_over_vnni(choices):
    gained = [
        shape for shape, before, gain in rows()
        if before.startswith("avx512vnni") and gain >= 1.3
    ]
    assert len(gained) == 10
    assert [s for s in gained if not choices[s].startswith("amx-int8")] == []


def test_vnni_stays_where_amx_lost(choices):
    lost = [shape for shape, _, gain in rows() if 0 < gain < 1]
    assert lost == [(8, 4096, 4096)]
    assert choices[lost[0]].startswith("avx512vnni")


def test_nothing_changed_for_many_rows(choices):
    many = [(shape, before) for shape, before, _ in rows() if shape[0] >= 64]
    assert [choices[shape] for shape, _ in many] == [before for _, before in many]
