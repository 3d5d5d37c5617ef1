// What is refused, where, and why.
// RUN: rm -rf %t && split-file %s %t
// RUN: sh %t/all.sh %t 2>&1 | FileCheck %s --implicit-check-not="is compiled"

//--- all.sh
for f in "$1"/*.mlir; do
  if qcc compile "$f" -o - > /dev/null; then echo "$f is compiled"; fi
done

//--- a.mlir
// CHECK: a.mlir:3:8: error: 'stablehlo.cholesky' is a solver, which is not supported; compute its result outside
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
//--- b.mlir
// CHECK: b.mlir:3:8: error: 'stablehlo.frobnicate' is not an op of StableHLO that is supported; docs/StableHLOOps.md lists those that are
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.frobnicate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- c.mlir
// CHECK: c.mlir:3:8: error: 'stablehlo.add' has 1 operands where 2 are needed; correct the program
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- d.mlir
// CHECK: d.mlir:3:8: error: 'stablehlo.add' has an attribute 'speed', which is not known; remove it
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x {speed = 3 : i32} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- e.mlir
// CHECK: e.mlir:3:8: error: 'stablehlo.exponential' does not take elements of type 'f64', of which the function is not defined (N8 in Numerics); convert them to f32
func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = stablehlo.exponential %x : tensor<2xf64>
  return %0 : tensor<2xf64>
}
//--- f.mlir
// CHECK: f.mlir:3:8: error: 'stablehlo.and' does not take elements of type 'f32'; convert them
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.and %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- g.mlir
// CHECK: g.mlir:3:8: error: 'stablehlo.reshape' has another number of elements than its operand; correct the shapes
func.func @main(%x: tensor<2x3xf32>) -> tensor<7xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
//--- h.mlir
// CHECK: h.mlir:3:8: error: 'stablehlo.transpose' names dimension 0 in 'permutation' twice, or it is not one of 2; correct the attribute
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
//--- i.mlir
// CHECK: i.mlir:3:8: error: 'stablehlo.dot_general' pairs dimensions of sizes 3 and 4; correct the shapes
func.func @main(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
//--- j.mlir
// CHECK: j.mlir:3:8: error: 'stablehlo.add' declares the type 'tensor<3xf32>' but computes 'tensor<2xf32>'; correct the program
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- k.mlir
// CHECK: k.mlir:3:8: error: 'stablehlo.convolution' has 3 features, 1 groups and a weight of 2 by 4; correct the program
func.func @main(%x: tensor<1x4x4x3xi8>, %w: tensor<3x3x2x4xi8>) -> tensor<1x2x2x4xi32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x3xi8>, tensor<3x3x2x4xi8>) -> tensor<1x2x2x4xi32>
  return %0 : tensor<1x2x2x4xi32>
}
//--- l.mlir
// CHECK: l.mlir:3:8: error: 'stablehlo.custom_call' calls 'my_kernel', code of the framework that is not in the program; write the function in terms of other ops
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @my_kernel(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- m.mlir
// CHECK: m.mlir:4:8: error: 'stablehlo.dynamic_reshape' takes the shape of its result from a value that is known only when the program runs; only constants and sizes of arguments may decide of shapes
module {
 func.func @main(%x: tensor<6xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
 }
}
//--- n.mlir
// CHECK: n.mlir:7:8: error: calls more than 64 functions inside of one another
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @again(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @again(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @again(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
//--- o.mlir
// CHECK: o.mlir:3:8: error: 'stablehlo.complex' computes complex numbers, which are not supported; use their parts
func.func @main(%x: tensor<2xf32>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.complex %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
//--- p.mlir
// CHECK: p.mlir:4:{{[0-9]+}}: error: 'stablehlo.dot' in a region of 'stablehlo.reduce' is not supported; regions consist of elementwise ops
func.func @main(%x: tensor<2xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):  %1 = stablehlo.dot %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
//--- q.mlir
// CHECK: q.mlir:3:1: error: 'g' is one of several public functions, of which none is called main; make others private
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- r.mlir
// CHECK: r.mlir:3:8: error: 'stablehlo.compare' has no direction of EQ, NE, LT, LE, GT and GE; correct the attribute
func.func @main(%x: tensor<2xf32>) -> tensor<2xi1> {
  %0 = stablehlo.compare UP, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
//--- s.mlir
// CHECK: s.mlir:3:8: error: 'stablehlo.slice' takes elements 1 to 9 of a dimension of 4; correct the program
func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = stablehlo.slice %x [1:9] : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
//--- t.mlir
// CHECK: t.mlir:3:8: error: 'stablehlo.pad' removes 5 of 4 elements of a dimension; correct the program
func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<0xf32> {
  %0 = stablehlo.pad %x, %z, low = [-5], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
//--- u.mlir
// CHECK: u.mlir:3:8: error: 'stablehlo.reduce_precision' rounds to 4 bits of exponent and 3 of mantissa, which is not supported; use those of bf16 (8, 7), f16 (5, 10) or f32 (8, 23)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce_precision %x, format = e4m3 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- v.mlir
// CHECK: v.mlir:2:{{[0-9]+}}: error: argument 0 has type 'tensor<*xf32>', which is not supported; use tensors with a rank
func.func @main(%x: tensor<*xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reshape %x : (tensor<*xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- w.mlir
// CHECK: w.mlir:3:8: error: 'stablehlo.if' has a loop in a branch that data choose, which is not supported; run the loop in front of it
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32> cond {
      %q = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %d = stablehlo.add %c, %c : tensor<4xf32>
      stablehlo.return %j, %d : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %r#1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- x.mlir
// CHECK: x.mlir:3:8: error: 'stablehlo.select_and_scatter' has a source of 3 elements along a dimension with 2 windows; correct the program
func.func @main(%x: tensor<4xf32>, %y: tensor<3xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- y.mlir
// CHECK: y.mlir:3:8: error: 'stablehlo.set_dimension_size' gives a tensor a size that only data decide, which is not supported; let the result have the size of the operand, and return the number of elements
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- z.mlir
// CHECK: z.mlir:3:8: error: 'stablehlo.dot_general' has an algorithm that rounds its operands, or sums in another type than that of its result, which is not supported; leave it out: products are exact, and sums as docs/Numerics.md says
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
//--- z1.mlir
// CHECK: z1.mlir:4:8: error: 'stablehlo.custom_call' names no function that combines elements; correct the program
func.func @main(%x: tensor<?xf32>, %zero: tensor<f32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %c, %c, %c, %c, %c) {called_computations = [@nothing]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
//--- z2.mlir
// CHECK: z2.mlir:7:8: error: 'stablehlo.custom_call' has strides or dilations that are not constant, which is not supported; give the program constant ones
func.func @main(%x: tensor<?xf32>, %zero: tensor<f32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<1> : tensor<1xi32>
  %no = stablehlo.constant dense<0> : tensor<1x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %c, %n1, %c, %c, %no) {called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
//--- z3.mlir
// CHECK: z3.mlir:6:8: error: 'stablehlo.dynamic_pad' pads between elements by amounts that are not constant, which is not supported; give the program constant sizes
func.func @main(%x: tensor<?xf32>, %zero: tensor<f32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %zero, %c, %c, %n1 : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
//--- z4.mlir
// CHECK: z4.mlir:4:8: error: 'stablehlo.dynamic_pad' has 2 numbers in operand 2 where its operands ask for 1; correct the program
func.func @main(%x: tensor<?xf32>, %zero: tensor<f32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<1> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %zero, %c, %c, %c : (tensor<?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
//--- z5.mlir
// CHECK: z5.mlir:3:8: error: 'chlo.lgamma' is a special function that is not supported; compute its result outside, or write an approximation of it
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- z6.mlir
// CHECK: z6.mlir:3:8: error: 'stablehlo.custom_call' calls 'lapack_spotrf_ffi', a solver, which is not supported; compute its result outside
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
//--- z7.mlir
// CHECK: z7.mlir:3:8: error: 'stablehlo.custom_call' calls 'xla_ffi_python_cpu_callback', which runs Python; leave out jax.pure_callback, jax.experimental.io_callback and jax.debug
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- z8.mlir
// CHECK: z8.mlir:3:8: error: 'stablehlo.custom_call' calls 'ApproxTopK', an approximation, which is not supported; use jax.lax.top_k
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @ApproxTopK(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- z9.mlir
// The function that jnp.linalg.cholesky becomes has no lines; its call has.
// CHECK: model.py:7:3: error: 'stablehlo.cholesky' is a solver, which is not supported; compute its result outside
module {
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = call @outer(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("f"("model.py":7:3))
  return %0 : tensor<4x4xf32>
}
func.func private @outer(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = call @inner(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @inner(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32> loc("cholesky")
  return %0 : tensor<4x4xf32>
}
} loc(unknown)
