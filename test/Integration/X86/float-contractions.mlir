// Contractions of floats give the bits of the reference: products with every rest of rows and columns, K in one part and
// in several, initial values, widened operands, batches, windows of images in both layouts, and what follows them.
// REQUIRES: x86-64-v3
// RUN: split-file %s %t
// RUN: qcc run %t/rows.mlir --input=random:1:-2:2 --dim=1 --dim=1 --check | FileCheck %s
// RUN: qcc run %t/rows.mlir --input=random:5:-2:2 --dim=5 --dim=5 --check | FileCheck %s
// RUN: qcc run %t/rows.mlir --input=random:33:-2:2 --dim=33 --dim=33 --check | FileCheck %s
// RUN: qcc run %t/rows.mlir --input=random:257:-2:2 --dim=257 --dim=257 --check | FileCheck %s
// RUN: qcc run %t/rows.mlir --input=random:2:-2:2 --dim=33 --dim=33 --mcpu=x86-64-v3 --threads=3 --check | FileCheck %s
// RUN: qcc run %t/rows.mlir --input=random:1:-2:2 --dim=0 --dim=0 --check | FileCheck %s --check-prefix=EMPTY
// RUN: qcc run %t/columns.mlir --input=random:1:-2:2 --dim=1 --dim=1 --check | FileCheck %s
// RUN: qcc run %t/columns.mlir --input=random:9:-2:2 --dim=9 --dim=9 --check | FileCheck %s
// RUN: qcc run %t/columns.mlir --input=random:41:-2:2 --dim=41 --dim=41 --check | FileCheck %s
// RUN: qcc run %t/columns.mlir --input=random:2:-2:2 --dim=33 --dim=33 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/long.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/widened.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/batches.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/windows.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/lines.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/deep.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/strided.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/repeated.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/edges.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/few.mlir --input=random:3:-2:2 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/long.mlir --input=random:4:-2:2 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/widened.mlir --input=random:4:-2:2 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/windows.mlir --input=random:4:-2:2 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/repeated.mlir --input=random:4:-2:2 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/special.mlir  --check | FileCheck %s
// RUN: env COLUMNS=1000 qcc explain %t/rows.mlir --mcpu=x86-64-v3 | FileCheck %s --check-prefix=WHY-ROWS
// RUN: env COLUMNS=1000 qcc explain %t/columns.mlir --mcpu=x86-64-v3 | FileCheck %s --check-prefix=WHY-COLUMNS
// RUN: env COLUMNS=1000 qcc explain %t/widened.mlir --mcpu=x86-64-v3 | FileCheck %s --check-prefix=WHY-WIDENED
// RUN: env COLUMNS=1000 qcc explain %t/windows.mlir --mcpu=x86-64-v3 | FileCheck %s --check-prefix=WHY-WINDOWS
// RUN: env COLUMNS=1000 qcc explain %t/few.mlir --mcpu=x86-64-v3 | FileCheck %s --check-prefix=WHY-FEW
// CHECK: check: {{[0-9]+}} elements, 0 differ
// EMPTY: check: 0 elements, 0 differ

//--- rows.mlir
#id = affine_map<(i, j) -> (i, j)>
// Dynamic rows, a bias, and a clamp.
// WHY-ROWS: entry rows:
// WHY-ROWS: .contract {{.*}} atom avx2-f32 float_tiles tile 4x24x1
// WHY-ROWS: not avx512-f32: the target has no AVX-512
func.func @rows(%x: tensor<?x37xf32>, %w: tensor<37x45xf32>, %b: tensor<45xf32>, %y: tensor<?x45xf32>) -> tensor<?x45xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.broadcast ins(%b : tensor<45xf32>) outs(%y : tensor<?x45xf32>) dimensions = [0]
  %0 = linalg.matmul ins(%x, %w : tensor<?x37xf32>, tensor<37x45xf32>) outs(%i : tensor<?x45xf32>) -> tensor<?x45xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y : tensor<?x45xf32>, tensor<?x45xf32>) outs(%y : tensor<?x45xf32>) {
  ^bb0(%a: f32, %residual: f32, %out: f32):
    %2 = arith.addf %a, %residual : f32
    %3 = arith.maximumf %2, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<?x45xf32>
  return %1 : tensor<?x45xf32>
}

//--- columns.mlir
// Dynamic columns: rows of K side by side, and columns.
// WHY-COLUMNS: entry columns:
// WHY-COLUMNS: .pack
// WHY-COLUMNS: .contract {{.*}} float_tiles
func.func @columns(%x: tensor<19x40xf32>, %w: tensor<?x40xf32>, %v: tensor<40x?xf32>) -> (tensor<19x?xf32>, tensor<19x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %w, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%n) : tensor<19x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<19x?xf32>) -> tensor<19x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<19x40xf32>, tensor<?x40xf32>) outs(%f : tensor<19x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %2 = arith.mulf %a, %b : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<19x?xf32>
  %1 = linalg.matmul ins(%x, %v : tensor<19x40xf32>, tensor<40x?xf32>) outs(%f : tensor<19x?xf32>) -> tensor<19x?xf32>
  return %0, %1 : tensor<19x?xf32>, tensor<19x?xf32>
}

//--- long.mlir
// K in several parts, the last one shorter; blocks of rows.
func.func @long(%x: tensor<300x1031xf32>, %w: tensor<1031x29xf32>, %y: tensor<300x29xf32>) -> tensor<300x29xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<300x1031xf32>, tensor<1031x29xf32>) outs(%y : tensor<300x29xf32>) -> tensor<300x29xf32>
  return %0 : tensor<300x29xf32>
}

//--- widened.mlir
#id = affine_map<(i, j) -> (i, j)>
// A left operand that is widened as it is copied, and a right one that is widened as it is packed.
// WHY-WIDENED: entry widened:
// WHY-WIDENED: .contract {{.*}} lhs panel
func.func @widened(%x: tensor<70x300xbf16>, %w: tensor<300x33xf16>, %y: tensor<70x33xf32>) -> tensor<70x33xf16> {
  %0 = linalg.matmul ins(%x, %w : tensor<70x300xbf16>, tensor<300x33xf16>) outs(%y : tensor<70x33xf32>) -> tensor<70x33xf32>
  %e = tensor.empty() : tensor<70x33xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<70x33xf32>) outs(%e : tensor<70x33xf16>) {
  ^bb0(%a: f32, %out: f16):
    %2 = arith.truncf %a : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<70x33xf16>
  return %1 : tensor<70x33xf16>
}

//--- batches.mlir
func.func @batches(%x: tensor<3x2x17x40xf32>, %w: tensor<3x2x40x21xf32>) -> tensor<3x2x17x21xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x17x21xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2x17x21xf32>) -> tensor<3x2x17x21xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, m, n, k) -> (a, b, m, k)>, affine_map<(a, b, m, n, k) -> (a, b, k, n)>, affine_map<(a, b, m, n, k) -> (a, b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x2x17x40xf32>, tensor<3x2x40x21xf32>) outs(%f : tensor<3x2x17x21xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %1 = math.fma %a, %b, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<3x2x17x21xf32>
  return %0 : tensor<3x2x17x21xf32>
}

//--- windows.mlir
// The sum goes through channels first, then lines and columns of the window, in whatever order the image is stored.
// WHY-WINDOWS: entry windows:
// WHY-WINDOWS: .contract {{.*}} linalg.conv_2d_nchw_fchw
func.func @windows(%x: tensor<2x35x9x11xf32>, %w: tensor<26x35x3x3xf32>) -> tensor<2x26x9x11xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x35x9x11xf32> to tensor<2x35x11x13xf32>
  %e = tensor.empty() : tensor<2x26x9x11xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x26x9x11xf32>) -> tensor<2x26x9x11xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<2x35x11x13xf32>, tensor<26x35x3x3xf32>) outs(%f : tensor<2x26x9x11xf32>) -> tensor<2x26x9x11xf32>
  return %0 : tensor<2x26x9x11xf32>
}

//--- lines.mlir
func.func @lines(%x: tensor<1x12x14x40xf32>, %w: tensor<3x3x40x18xf32>, %y: tensor<1x10x12x18xf32>) -> tensor<1x10x12x18xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x12x14x40xf32>, tensor<3x3x40x18xf32>) outs(%y : tensor<1x10x12x18xf32>) -> tensor<1x10x12x18xf32>
  return %0 : tensor<1x10x12x18xf32>
}

//--- deep.mlir
// Temporaries of many channels have pixels an odd number of cache lines apart.
func.func @deep(%x: tensor<1x256x5x5xf32>, %w: tensor<24x256x3x3xf32>, %v: tensor<8x24x1x1xf32>) -> tensor<1x8x5x5xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x256x5x5xf32> to tensor<1x256x7x7xf32>
  %e = tensor.empty() : tensor<1x24x5x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x24x5x5xf32>) -> tensor<1x24x5x5xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x256x7x7xf32>, tensor<24x256x3x3xf32>) outs(%f : tensor<1x24x5x5xf32>) -> tensor<1x24x5x5xf32>
  %e1 = tensor.empty() : tensor<1x8x5x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  %1 = linalg.conv_2d_nchw_fchw ins(%0, %v : tensor<1x24x5x5xf32>, tensor<8x24x1x1xf32>) outs(%f1 : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  return %1 : tensor<1x8x5x5xf32>
}

//--- strided.mlir
func.func @strided(%x: tensor<1x3x31x33xf32>, %w: tensor<20x3x7x5xf32>, %y: tensor<1x20x10x7xf32>) -> tensor<1x20x10x7xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[2, 3]> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x31x33xf32>, tensor<20x3x7x5xf32>) outs(%y : tensor<1x20x10x7xf32>) -> tensor<1x20x10x7xf32>
  return %0 : tensor<1x20x10x7xf32>
}

//--- repeated.mlir
// Groups, each with an image and columns of its own, and several results.
func.func @repeated(%x: tensor<1x2x6x9x9xf32>, %w: tensor<2x10x6x3x3xf32>, %y: tensor<1x2x10x7x7xf32>) -> (tensor<1x2x10x7x7xf32>, tensor<1x2x10x7x7xi8>) {
  %0 = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x2x6x9x9xf32>, tensor<2x10x6x3x3xf32>) outs(%y : tensor<1x2x10x7x7xf32>) -> tensor<1x2x10x7x7xf32>
  %s = arith.constant 0.25 : f32
  %q = qnn.quantize %0 scale(%s : f32) : tensor<1x2x10x7x7xf32> -> tensor<1x2x10x7x7xi8>
  return %0, %q : tensor<1x2x10x7x7xf32>, tensor<1x2x10x7x7xi8>
}

//--- edges.mlir
// One row, and one K that fills a part of it exactly.
func.func @edges(%x: tensor<1x512xf32>, %w: tensor<512x8xf32>, %v: tensor<8x513xf32>) -> tensor<1x513xf32> {
  %zero = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<1x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x512xf32>, tensor<512x8xf32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
  %e1 = tensor.empty() : tensor<1x513xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x513xf32>) -> tensor<1x513xf32>
  %1 = linalg.matmul ins(%0, %v : tensor<1x8xf32>, tensor<8x513xf32>) outs(%f1 : tensor<1x513xf32>) -> tensor<1x513xf32>
  return %1 : tensor<1x513xf32>
}

//--- few.mlir
// WHY-FEW: entry few:
// WHY-FEW: why: it has few columns: computed by generic loops
// WHY-FEW: why: each result is a single product: computed by generic loops
func.func @few(%x: tensor<9x30xf32>, %w: tensor<30x4xf32>, %v: tensor<1x20xf32>, %y: tensor<9x4xf32>, %z: tensor<30x20xf32>) -> (tensor<9x4xf32>, tensor<30x20xf32>) {
  %0 = linalg.matmul ins(%x, %w : tensor<9x30xf32>, tensor<30x4xf32>) outs(%y : tensor<9x4xf32>) -> tensor<9x4xf32>
  %c = tensor.extract_slice %w[0, 1] [30, 1] [1, 1] : tensor<30x4xf32> to tensor<30x1xf32>
  %1 = linalg.matmul ins(%c, %v : tensor<30x1xf32>, tensor<1x20xf32>) outs(%z : tensor<30x20xf32>) -> tensor<30x20xf32>
  return %0, %1 : tensor<9x4xf32>, tensor<30x20xf32>
}

//--- special.mlir
// Infinities, NaN, denormals and zeros of both signs; a padded element times an infinity is NaN.
func.func @special() -> (tensor<5x8xf32>, tensor<1x3x3x8xf32>) {
  %x = arith.constant dense<[[0.0, -0.0, 1.0], [0x7F800000, 1.0, -1.0], [0x7FC00000, 0.0, 0.0], [1.0e-44, -1.0e-44, 0.0], [-0.0, -0.0, -0.0]]> : tensor<5x3xf32>
  %w = arith.constant dense<[[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-44],
                             [1.0, -1.0, 0.5, 0.0, -0.0, 1.0e-38, 3.0, 1.0],
                             [-0.0, 0.0, 0x7F800000, 1.0, 2.0, -1.0e-38, 0.0, -1.0]]> : tensor<3x8xf32>
  %zero = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x8xf32>) -> tensor<5x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<5x3xf32>, tensor<3x8xf32>) outs(%f : tensor<5x8xf32>) -> tensor<5x8xf32>
  %image = arith.constant dense<1.0> : tensor<1x3x3x3xf32>
  %plus = arith.constant 0.0 : f32
  %p = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %plus : f32
  } : tensor<1x3x3x3xf32> to tensor<1x5x5x3xf32>
  %kernel = tensor.empty() : tensor<3x3x3x8xf32>
  %k = linalg.broadcast ins(%w : tensor<3x8xf32>) outs(%kernel : tensor<3x3x3x8xf32>) dimensions = [0, 1]
  %e1 = tensor.empty() : tensor<1x3x3x8xf32>
  %f1 = linalg.fill ins(%plus : f32) outs(%e1 : tensor<1x3x3x8xf32>) -> tensor<1x3x3x8xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%p, %k : tensor<1x5x5x3xf32>, tensor<3x3x3x8xf32>) outs(%f1 : tensor<1x3x3x8xf32>) -> tensor<1x3x3x8xf32>
  return %0, %1 : tensor<5x8xf32>, tensor<1x3x3x8xf32>
}
