"""Writes programs that are too deep, too long or too large into a folder."""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])


def write(name, text):
    (folder / name).write_text(text)


def add(attributes="", location=""):
    return (
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        f"  %r = arith.addf %x, %x {attributes} : tensor<4xf32>{location}\n"
        "  return %r : tensor<4xf32>\n}\n"
    )


deep = 100000
write("brackets.mlir", add("{my.a = " + "[" * deep + "]" * deep + "}"))
aliases = "#a0 = [1]\n" + "".join(f"#a{i} = [#a{i - 1}]\n" for i in range(1, 2000))
write("aliases.mlir", aliases + add("{my.a = #a1999}"))
locations = '#l0 = loc("a")\n' + "".join(
    f'#l{i} = loc("a"(#l{i - 1}))\n' for i in range(1, 2000)
)
write("locations.mlir", locations + add(location=" loc(#l1999)"))
write("number.mlir", "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = arith.addf %x, %x : tensor<4xf32>\n"
      "  return %y#1000000007 : tensor<4xf32>\n}\n")
write("signs.mlir", f"#m = affine_map<(i) -> (i + {'-' * deep}1)>\n" + add("{my.a = #m}"))
write("affine.mlir", f"#m = affine_map<(i) -> (i{' + i' * deep})>\n" + add("{my.a = #m}"))
write(
    "permutation.mlir",
    "func.func @f(%x: tensor<4x8xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
    "  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = 1, 0]\n"
    "  return %t : tensor<8x4xf32>\n}\n",
)
write(
    "dimensions.mlir",
    "func.func @f(%x: tensor<4x8xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %t = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4xf32>) dimensions = [1e-40]\n"
    "  return %t : tensor<4xf32>\n}\n",
)
write(
    "iterators.mlir",
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = [i8]} outs(%x : tensor<4xf32>) {\n"
    "  ^bb0(%a: f32):\n    linalg.yield %a : f32\n  } -> tensor<4xf32>\n"
    "  return %t : tensor<4xf32>\n}\n",
)
calls = (
    "func.func private @f0(%x: f32) -> f32 {\n"
    "  %0 = arith.addf %x, %x : f32\n  return %0 : f32\n}\n"
)
for i in range(1, 41):
    calls += (
        f"func.func {'private ' if i < 40 else ''}@f{i}(%x: f32) -> f32 {{\n"
        f"  %0 = call @f{i - 1}(%x) : (f32) -> f32\n"
        f"  %1 = call @f{i - 1}(%0) : (f32) -> f32\n  return %1 : f32\n}}\n"
    )
write("calls.mlir", calls)
splat = "tensor<17592186044416xf64>"
write(
    "splat.mlir",
    f"func.func @f() -> {splat} {{\n"
    f"  %0 = arith.constant dense<1.0> : {splat}\n  return %0 : {splat}\n}}\n",
)
many = "tensor<" + "1x" * 65 + "f32>"
write("rank.mlir", f"func.func @f(%x: {many}) -> {many} {{\n  return %x : {many}\n}}\n")
long = "n" * 70000
write("name.mlir", add().replace("@f", "@" + long))
write("layer.mlir", add(location=f' loc("{long}")'))
