"""N11: indices that data gives, in and out of range, against numpy."""

import numpy as np
import pytest

from program import Program

HUGE = [0, 1, 6, 7, 8, 100, -1, -8, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63)]


def clamp(index, last):
    return min(max(int(index), 0), last)


@pytest.mark.parametrize("pos", HUGE)
def test_at_the_top(target, tmp_path, pos):
    rng = np.random.default_rng(3)
    t = rng.random((8, 6), np.float32)
    row = rng.random((2, 6), np.float32)
    p = Program()
    at = p.argument("tensor<index>", np.int64(pos))
    table, rows = p.argument("tensor<8x6xf32>", t), p.argument("tensor<2x6xf32>", row)
    p.body.append(f"%i = tensor.extract {at}[] : tensor<index>")

    v = p.op(f"tensor.extract_slice {table}[%i, 1] [3, 2] [2, 3] : tensor<8x6xf32> to tensor<3x2xf32>")
    o = clamp(pos, 8 - 5)
    p.result(v, "tensor<3x2xf32>", t[o : o + 5 : 2, 1:6:3])

    v = p.op(f"tensor.insert_slice {rows} into {table}[%i, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<8x6xf32>")
    o, expected = clamp(pos, 6), t.copy()
    expected[o : o + 2] = row
    p.result(v, "tensor<8x6xf32>", expected)

    p.body.append(f"%e = tensor.extract {table}[%i, %i] : tensor<8x6xf32>")
    v = p.op("tensor.from_elements %e : tensor<f32>")
    p.result(v, "tensor<f32>", t[clamp(pos, 7), clamp(pos, 5)])

    v = p.op(f"tensor.insert %e into {rows}[%i, %i] : tensor<2x6xf32>")
    expected = row.copy()
    expected[clamp(pos, 1), clamp(pos, 5)] = t[clamp(pos, 7), clamp(pos, 5)]
    p.result(v, "tensor<2x6xf32>", expected)
    p.check(tmp_path, target)


@pytest.mark.parametrize(
    "type, cast", [("i8", "index_cast"), ("i8", "index_castui"), ("i32", "index_cast"),
                   ("i32", "index_castui"), ("i64", "index_cast")]
)
@pytest.mark.parametrize("rows", [1, 17, 64])
def test_gather(target, tmp_path, type, cast, rows):
    rng = np.random.default_rng(4)
    dtype = np.dtype(f"i{int(type[1:]) // 8}")
    t = rng.random((100, 33), np.float32)
    ids = rng.integers(-30, 130, rows).clip(*np.array([-128, 127])).astype(dtype)
    ids[0] = np.iinfo(dtype).min
    ids[-1] = np.iinfo(dtype).max
    p = Program()
    i, table = p.argument(f"tensor<?x{type}>", ids), p.argument("tensor<?x33xf32>", t)
    p.body.append("%c0 = arith.constant 0 : index")
    p.body.append(f"%n = tensor.dim {i}, %c0 : tensor<?x{type}>")
    p.body.append("%e = tensor.empty(%n) : tensor<?x33xf32>")
    v = p.op(
        "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],"
        f' iterator_types = ["parallel", "parallel"]}} ins({i} : tensor<?x{type}>) outs(%e : tensor<?x33xf32>) {{\n'
        f"  ^bb0(%id: {type}, %o: f32):\n    %k = arith.{cast} %id : {type} to index\n"
        "    %j = linalg.index 1 : index\n"
        f"    %r = tensor.extract {table}[%k, %j] : tensor<?x33xf32>\n"
        "    linalg.yield %r : f32\n  } -> tensor<?x33xf32>"
    )
    wide = ids.view(f"u{dtype.itemsize}") if cast.endswith("ui") else ids
    p.result(v, "tensor<?x33xf32>", t[[clamp(k, 99) for k in wide]])
    p.check(tmp_path, target)


def test_computed_indices(target, tmp_path):
    """Indices of loops, shifted so that some leave the tensor; overflow wraps."""
    x = np.arange(10, dtype=np.int32)
    p = Program()
    a = p.argument("tensor<10xi32>", x)
    p.body += [
        "%c3 = arith.constant 3 : index",
        "%big = arith.constant 4611686018427387904 : index",
        "%e = tensor.empty() : tensor<10xi32>",
    ]
    for body, index in [
        ("arith.addi %i, %c3", lambda i: i + 3),
        ("arith.subi %i, %c3", lambda i: i - 3),
        ("arith.muli %i, %big", lambda i: int(np.int64(np.uint64(i % 4) << np.uint64(62)))),
    ]:
        v = p.op(
            "linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],"
            ' iterator_types = ["parallel"]} outs(%e : tensor<10xi32>) {\n'
            "  ^bb0(%o: i32):\n    %i = linalg.index 0 : index\n"
            f"    %k = {body} : index\n    %r = tensor.extract {a}[%k] : tensor<10xi32>\n"
            "    linalg.yield %r : i32\n  } -> tensor<10xi32>"
        )
        expected = x[[clamp(index(i), 9) for i in range(10)]]
        p.result(v, "tensor<10xi32>", expected)
    p.check(tmp_path, target)


def test_generate(target, tmp_path):
    x = np.arange(12, dtype=np.float32)
    p = Program()
    a, s = p.argument("tensor<12xf32>", x), p.argument("tensor<i32>", np.int32(7))
    p.body += [
        f"%s32 = tensor.extract {s}[] : tensor<i32>",
        "%s = arith.index_cast %s32 : i32 to index",
    ]
    v = p.op(
        "tensor.generate {\n  ^bb0(%i: index):\n    %k = arith.addi %i, %s : index\n"
        f"    %r = tensor.extract {a}[%k] : tensor<12xf32>\n    tensor.yield %r : f32\n  }} : tensor<12xf32>"
    )
    p.result(v, "tensor<12xf32>", x[[clamp(i + 7, 11) for i in range(12)]])
    p.check(tmp_path, target)


def test_loop_over_rows(target, tmp_path):
    """An scf.for whose offsets leave the tensor at its end."""
    x = np.arange(40, dtype=np.float32).reshape(10, 4)
    p = Program()
    a = p.argument("tensor<10x4xf32>", x)
    p.body += [
        "%c0 = arith.constant 0 : index",
        "%c3 = arith.constant 3 : index",
        "%c10 = arith.constant 10 : index",
    ]
    v = p.op(
        f"scf.for %i = %c0 to %c10 step %c3 iter_args(%acc = {a}) -> tensor<10x4xf32> {{\n"
        "    %rows = tensor.extract_slice %acc[%i, 0] [3, 4] [1, 1] : tensor<10x4xf32> to tensor<3x4xf32>\n"
        "    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],"
        ' iterator_types = ["parallel", "parallel"]} outs(%rows : tensor<3x4xf32>) {\n'
        "    ^bb0(%o: f32):\n      %s = arith.addf %o, %o : f32\n      linalg.yield %s : f32\n"
        "    } -> tensor<3x4xf32>\n"
        "    %u = tensor.insert_slice %q into %acc[%i, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<10x4xf32>\n"
        "    scf.yield %u : tensor<10x4xf32>\n  }"
    )
    expected = x.copy()
    for i in range(0, 10, 3):
        o = clamp(i, 7)
        expected[o : o + 3] += expected[o : o + 3]
    p.result(v, "tensor<10x4xf32>", expected)
    p.check(tmp_path, target)
