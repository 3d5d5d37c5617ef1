// RUN: qcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(block-rows{target=x86-64-v3}))' | FileCheck %s

#all = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#column = affine_map<(b, m, n) -> (n)>
#rows = affine_map<(b, m) -> (b, m)>

// A residual and its norm are one loop, in which a row of x, r, s and y takes 4 KB: 8 rows in 32 KB. s is a result of
// the program, whose rows are written in place; the sums belong to a block. The last block may have fewer rows.
// CHECK-LABEL: func.func @norm(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?x50x256xf32>, %[[R:[a-z0-9]*]]: memref<?x50x256xf32>, %[[G:[a-z0-9]*]]: memref<256xf32>, %[[S:[a-z0-9]*]]: memref<?x50x256xf32>
// CHECK-NOT: memref.alloc(
// CHECK: scf.forall (%[[B:.*]], %[[M:.*]]) = (0, 0) to (%{{.*}}, 50) step (1, 8) {
// CHECK: %[[ROWS:.*]] = affine.min
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1x8xf32>
// CHECK: %[[SB:.*]] = memref.subview %[[S]][%[[B]], %[[M]], 0] [1, %[[ROWS]], 256] [1, 1, 1]
// CHECK: linalg.generic {{.*}} outs(%[[SB]] :
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : memref<1x?xf32, {{.*}}>) {
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: linalg.generic {{.*}} %[[G]]
// CHECK-NOT: linalg.generic
func.func @norm(%x: memref<?x50x256xf32>, %r: memref<?x50x256xf32>, %g: memref<256xf32>, %s: memref<?x50x256xf32>, %y: memref<?x50x256xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc(%n) {alignment = 64 : i64} : memref<?x50xf32>
  linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r : memref<?x50x256xf32>, memref<?x50x256xf32>) outs(%s : memref<?x50x256xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%sum : memref<?x50xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : memref<?x50x256xf32>) outs(%sum : memref<?x50xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum, %g : memref<?x50x256xf32>, memref<?x50xf32>, memref<256xf32>) outs(%y : memref<?x50x256xf32>) {
  ^bb0(%a: f32, %m: f32, %w: f32, %out: f32):
    %v = arith.divf %a, %m : f32
    %z = arith.mulf %v, %w : f32
    linalg.yield %z : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// A row may not exceed half of the L2 cache. The size of a row must be known.
// CHECK-LABEL: func.func @long(
// CHECK-NOT: scf.forall
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT: scf.forall
func.func @long(%x: memref<8x60000xf32>, %m: memref<8xf32>, %y: memref<8x60000xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x60000xf32>) outs(%m : memref<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<8x60000xf32>, memref<8xf32>) outs(%y : memref<8x60000xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}
func.func @dynamic(%x: memref<8x?xf32>, %m: memref<8xf32>, %y: memref<8x?xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x?xf32>) outs(%m : memref<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<8x?xf32>, memref<8xf32>) outs(%y : memref<8x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#across = affine_map<(m, n) -> (n, m)>
#row = affine_map<(m, n) -> (m)>

// Elements of a row lie apart: a block of rows would read parts of lines of the cache.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: scf.forall
func.func @columns(%x: memref<300x400xf32>, %m: memref<400xf32>, %y: memref<300x400xf32>) {
  linalg.generic {indexing_maps = [#across, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<300x400xf32>) outs(%m : memref<400xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#across, #row, #across], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<300x400xf32>, memref<400xf32>) outs(%y : memref<300x400xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#next = affine_map<(m, n) -> (m * 2 + n)>
#half = affine_map<(m, n) -> (m floordiv 2)>

// The second op reads %t by sums of its loops: a block of 10 rows begins at twice its row, and lacks the elements of 290
// rows.
// CHECK-LABEL: func.func @sums_of_loops(
// CHECK-SAME: %{{.*}}: memref<300x400xf32>, %[[T:[a-z0-9]*]]: memref<998xf32>
// CHECK: scf.forall (%[[M:.*]]) = (0) to (300) step (10) {
// CHECK: %[[BEGIN:.*]] = affine.apply {{.*}}[%[[M]]]
// CHECK: memref.subview %[[T]][%[[BEGIN]]] [418] [1]
func.func @sums_of_loops(%x: memref<300x400xf32>, %t: memref<998xf32>, %m: memref<300xf32>, %y: memref<300x400xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<300x400xf32>) outs(%m : memref<300xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #next, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %t, %m : memref<300x400xf32>, memref<998xf32>, memref<300xf32>) outs(%y : memref<300x400xf32>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    %w = arith.addf %v, %c : f32
    linalg.yield %w : f32
  }
  return
}

// Here the second op reads %t by a quotient, and in the next function loads any element of the sums.
// CHECK-LABEL: func.func @quotient(
// CHECK-NOT: scf.forall
// CHECK-LABEL: func.func @loads(
// CHECK-NOT: scf.forall
func.func @quotient(%x: memref<300x400xf32>, %t: memref<150xf32>, %m: memref<300xf32>, %y: memref<300x400xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<300x400xf32>) outs(%m : memref<300xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #half, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %t, %m : memref<300x400xf32>, memref<150xf32>, memref<300xf32>) outs(%y : memref<300x400xf32>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    %w = arith.addf %v, %c : f32
    linalg.yield %w : f32
  }
  return
}
func.func @loads(%x: memref<300x400xf32>, %i: memref<300x400xindex>, %m: memref<300xf32>, %y: memref<300x400xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<300x400xf32>) outs(%m : memref<300xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %i, %m : memref<300x400xf32>, memref<300x400xindex>, memref<300xf32>) outs(%y : memref<300x400xf32>) {
  ^bb0(%a: f32, %j: index, %b: f32, %out: f32):
    %c = memref.load %m[%j] : memref<300xf32>
    %v = arith.subf %a, %b : f32
    %w = arith.addf %v, %c : f32
    linalg.yield %w : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#one = affine_map<(m) -> (m)>

// No two ops read the same long row: one step would save nothing.
// CHECK-LABEL: func.func @once(
// CHECK-NOT: scf.forall
func.func @once(%x: memref<300x400xf32>, %m: memref<300xf32>, %y: memref<300xf32>) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<300x400xf32>) outs(%m : memref<300xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%m : memref<300xf32>) outs(%y : memref<300xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = math.sqrt %a : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#in = affine_map<(c, h, w, i, j) -> (c, h * 2 + i, w * 2 + j)>
#window = affine_map<(c, h, w, i, j) -> (i, j)>
#out = affine_map<(c, h, w, i, j) -> (c, h, w)>
#all = affine_map<(c, h, w) -> (c, h, w)>

// Sums of windows and their quotients, whose rows are lines of the image: two lines of %x for each, of 1 KB, one of the
// sums and one of %y, so 10 in 32 KB.
// CHECK-LABEL: func.func @average_pool(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4x60x256xf32>
// CHECK-NOT: memref.alloc(
// CHECK: scf.forall (%[[C:.*]], %[[H:.*]]) = (0, 0) to (4, 30) step (1, 10) {
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1x10x128xf32>
// CHECK: %[[BEGIN:.*]] = affine.apply {{.*}}[%[[H]]]
// CHECK: memref.subview %[[X]][%[[C]], %[[BEGIN]], 0] [1, 20, 256] [1, 1, 1]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : memref<1x10x128xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<1x10x128xf32>)
func.func @average_pool(%x: memref<4x60x256xf32>, %window: memref<2x2xf32>, %y: memref<4x30x128xf32>) {
  %four = arith.constant 4.0 : f32
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() {alignment = 64 : i64} : memref<4x30x128xf32>
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%sum : memref<4x30x128xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#in, #window, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : memref<4x60x256xf32>, memref<2x2xf32>) outs(%sum : memref<4x30x128xf32>) {
  ^bb0(%a: f32, %n: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : memref<4x30x128xf32>) outs(%y : memref<4x30x128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.divf %a, %four : f32
    linalg.yield %v : f32
  }
  return
}

// A pooling and its fill alone stay apart: blocks would cost more than the fill.
// CHECK-LABEL: func.func @max_pool(
// CHECK-NOT: scf.forall
func.func @max_pool(%x: memref<4x60x256xf32>, %window: memref<2x2xf32>, %y: memref<4x30x128xf32>) {
  %lowest = arith.constant 0xFF800000 : f32
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%y : memref<4x30x128xf32>) {
  ^bb0(%out: f32):
    linalg.yield %lowest : f32
  }
  linalg.generic {indexing_maps = [#in, #window, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : memref<4x60x256xf32>, memref<2x2xf32>) outs(%y : memref<4x30x128xf32>) {
  ^bb0(%a: f32, %n: f32, %acc: f32):
    %v = arith.maximumf %a, %acc : f32
    linalg.yield %v : f32
  }
  return
}

// So does a pooling whose sums are a result of the program: no memory vanishes.
// CHECK-LABEL: func.func @kept_sums(
// CHECK-NOT: scf.forall
func.func @kept_sums(%x: memref<4x60x256xf32>, %window: memref<2x2xf32>, %sum: memref<4x30x128xf32>, %y: memref<4x30x128xf32>) {
  linalg.generic {indexing_maps = [#in, #window, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : memref<4x60x256xf32>, memref<2x2xf32>) outs(%sum : memref<4x30x128xf32>) {
  ^bb0(%a: f32, %n: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : memref<4x30x128xf32>) outs(%y : memref<4x30x128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = math.sqrt %a : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>

// Each block would read the right operand of a product again.
// CHECK-LABEL: func.func @product(
// CHECK-NOT: scf.forall
func.func @product(%a: memref<300x200xf32>, %b: memref<200x100xf32>, %s: memref<300x100xf32>, %y: memref<300x100xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<300x200xf32>, memref<200x100xf32>) outs(%s : memref<300x100xf32>) {
  ^bb0(%u: f32, %v: f32, %acc: f32):
    %w = math.fma %u, %v, %acc : f32
    linalg.yield %w : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : memref<300x100xf32>) outs(%y : memref<300x100xf32>) {
  ^bb0(%v: f32, %out: f32):
    %w = math.sqrt %v : f32
    linalg.yield %w : f32
  }
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#one = affine_map<(m) -> (m)>
#diagonal = affine_map<(m) -> (m, m)>

// A column that moves with the row is none of the block: only its sums and its quotients are members.
// CHECK-LABEL: func.func @diagonal(
// CHECK: scf.forall
// CHECK: arith.divf
// CHECK: }
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel"]} ins(%[[ALL:.*]] : memref<300x300xf32>)
func.func @diagonal(%x: memref<300x300xf32>, %y: memref<300xf32>) {
  %s = memref.alloc() : memref<300xf32>
  %p = memref.alloc() : memref<300x300xf32>
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%s : memref<300xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : memref<300x300xf32>) outs(%s : memref<300xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<300x300xf32>, memref<300xf32>) outs(%p : memref<300x300xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#diagonal, #one], iterator_types = ["parallel"]} ins(%p : memref<300x300xf32>) outs(%y : memref<300xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// Rows of two views of one buffer that overlap are not those of a block.
// CHECK-LABEL: func.func @overlapping(
// CHECK: scf.forall
// CHECK: arith.subf
// CHECK: }
// CHECK: math.sqrt
func.func @overlapping(%x: memref<300x600xf32>, %s: memref<300xf32>, %u: memref<301x600xf32>) {
  %first = memref.subview %u[0, 0] [300, 600] [1, 1] : memref<301x600xf32> to memref<300x600xf32, strided<[600, 1]>>
  %second = memref.subview %u[1, 0] [300, 600] [1, 1] : memref<301x600xf32> to memref<300x600xf32, strided<[600, 1], offset: 600>>
  linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : memref<300x600xf32>) outs(%s : memref<300xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %v = arith.addf %a, %acc : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<300x600xf32>, memref<300xf32>) outs(%first : memref<300x600xf32, strided<[600, 1]>>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<300x600xf32>, memref<300xf32>) outs(%second : memref<300x600xf32, strided<[600, 1], offset: 600>>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %w = math.sqrt %b : f32
    %v = arith.addf %a, %w : f32
    linalg.yield %v : f32
  }
  return
}
