// RUN: qcc-opt %s -annotate-constant-ranges | FileCheck %s

// Bounds are powers of 2^4 away from 0 and of 2^16 towards it, so that layers of one form have the same: constants of f32 and i32, splats and resources; two NaN for operands that are not constant, of another type, or with a NaN.
// CHECK-LABEL: func.func @ranges
// CHECK: facts = #kernel.facts<epilogue_ranges = array<f64: -1.000000e+00, 1.000000e+00, 1.000000e+00, 1.600000e+01, -1.600000e+01, 1.600000e+01, 1.000000e+00, 1.600000e+01, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 0x7FF8000000000000>>
func.func @ranges(%x: tensor<2x7xi8>, %w: tensor<3x7xi8>, %o: tensor<2x3xf32>, %v: tensor<3xf32>) -> tensor<2x3xf32> {
  %a = arith.constant dense<[0.25, -0.5, 0.0]> : tensor<3xf32>
  %b = arith.constant dense<3.0> : tensor<3xf32>
  %c = arith.constant dense<[9, 1, -7]> : tensor<3xi32>
  %d = arith.constant dense_resource<resource> : tensor<3xf32>
  %e = arith.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
  %f = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf16>
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<3x7xi8>)
      epilogue_ins(%a, %b, %c, %d, %e, %f, %v : tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>,
                   tensor<3xf32>, tensor<3xf16>, tensor<3xf32>)
      outs(%o : tensor<2x3xf32>)
      epilogue {
      ^bb0(%acc: i32, %0: f32, %1: f32, %2: i32, %3: f32, %4: f32, %5: f16, %6: f32):
        kernel.yield %0 : f32
      } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Nothing is known: nothing is said.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: epilogue_ranges
func.func @unknown(%x: tensor<2x7xi8>, %w: tensor<3x7xi8>, %o: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2x3xf32> {
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<3x7xi8>) epilogue_ins(%v : tensor<f32>)
      outs(%o : tensor<2x3xf32>)
      epilogue {
      ^bb0(%acc: i32, %0: f32):
        kernel.yield %0 : f32
      } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      resource: "0x040000000000803F0000804000000040"
    }
  }
#-}
