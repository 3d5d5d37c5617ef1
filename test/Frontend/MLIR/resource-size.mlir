// A resource whose size does not fit its type, which the parser accepts.
// RUN: not qcc compile %s --emit=import -o - 2>&1 | FileCheck %s

func.func @f() -> tensor<2x4xi8> {
  // CHECK: resource-size.mlir:[[@LINE+1]]:{{[0-9]+}}: error: weight 'w' has 3 bytes but 2x4xi8 needs 8
  %w = arith.constant dense_resource<w> : tensor<2x4xi8>
  return %w : tensor<2x4xi8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x40000000010203"
    }
  }
#-}
