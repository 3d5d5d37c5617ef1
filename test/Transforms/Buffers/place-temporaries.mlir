// RUN: qcc-opt %s -split-input-file -place-temporaries | FileCheck %s

// Both inputs of a concatenation are computed in their places; the border of what is padded is filled before.
// CHECK-LABEL: func.func @concatenated(
// CHECK: %[[PADDED:.*]] = memref.alloc() : memref<6x18xi8>
// CHECK-NEXT: kernel.fill_border %{{.*}} outs(%[[PADDED]] : memref<6x18xi8>)
// CHECK: %[[ALL:.*]] = memref.subview %[[PADDED]][1, 1] [4, 16]
// CHECK: %[[A:.*]] = memref.subview %[[ALL]][0, 0] [4, 8]
// CHECK-NOT: memref.alloc
// CHECK: linalg.fill {{.*}} outs(%[[A]] : memref<4x8xi8, strided<[18, 1], offset: 19>>)
// CHECK: %[[B:.*]] = memref.subview %[[ALL]][0, 8] [4, 8]
// CHECK: linalg.fill {{.*}} outs(%[[B]] : memref<4x8xi8, strided<[18, 1], offset: 27>>)
// CHECK-NOT: memref.copy
// CHECK: memref.load %[[A]]
// CHECK: linalg.map {{.*}} ins(%[[PADDED]]
func.func @concatenated(%v: i8, %w: i8, %o: memref<6x18xi8>) -> i8 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4x8xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<4x8xi8>)
  %b = memref.alloc() : memref<4x8xi8>
  linalg.fill ins(%w : i8) outs(%b : memref<4x8xi8>)
  %both = memref.alloc() : memref<4x16xi8>
  %0 = memref.subview %both[0, 0] [4, 8] [1, 1] : memref<4x16xi8> to memref<4x8xi8, strided<[16, 1]>>
  memref.copy %a, %0 : memref<4x8xi8> to memref<4x8xi8, strided<[16, 1]>>
  %1 = memref.subview %both[0, 8] [4, 8] [1, 1] : memref<4x16xi8> to memref<4x8xi8, strided<[16, 1], offset: 8>>
  memref.copy %b, %1 : memref<4x8xi8> to memref<4x8xi8, strided<[16, 1], offset: 8>>
  %padded = memref.alloc() : memref<6x18xi8>
  kernel.fill_border %v : i8 outs(%padded : memref<6x18xi8>) low [1, 1] high [1, 1]
  %2 = memref.subview %padded[1, 1] [4, 16] [1, 1] : memref<6x18xi8> to memref<4x16xi8, strided<[18, 1], offset: 19>>
  memref.copy %both, %2 : memref<4x16xi8> to memref<4x16xi8, strided<[18, 1], offset: 19>>
  %x = memref.load %a[%c0, %c0] : memref<4x8xi8>
  linalg.map { arith.addi } ins(%padded, %padded : memref<6x18xi8>, memref<6x18xi8>) outs(%o : memref<6x18xi8>)
  return %x : i8
}

// -----

// Something else is written to the place.
// CHECK-LABEL: func.func @filled_before(
// CHECK: memref.copy
func.func @filled_before(%v: i8, %o: memref<4x16xi8>) {
  %a = memref.alloc() : memref<4x8xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<4x8xi8>)
  %both = memref.alloc() : memref<4x16xi8>
  linalg.fill ins(%v : i8) outs(%both : memref<4x16xi8>)
  %0 = memref.subview %both[0, 0] [4, 8] [1, 1] : memref<4x16xi8> to memref<4x8xi8, strided<[16, 1]>>
  memref.copy %a, %0 : memref<4x8xi8> to memref<4x8xi8, strided<[16, 1]>>
  memref.copy %both, %o : memref<4x16xi8> to memref<4x16xi8>
  return
}

// -----

// The temporary is written again after it is copied.
// CHECK-LABEL: func.func @written_again(
// CHECK: memref.copy
func.func @written_again(%v: i8, %w: i8, %o: memref<4x16xi8>, %p: memref<4x8xi8>) {
  %a = memref.alloc() : memref<4x8xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<4x8xi8>)
  %both = memref.alloc() : memref<4x16xi8>
  %0 = memref.subview %both[0, 0] [4, 8] [1, 1] : memref<4x16xi8> to memref<4x8xi8, strided<[16, 1]>>
  memref.copy %a, %0 : memref<4x8xi8> to memref<4x8xi8, strided<[16, 1]>>
  linalg.fill ins(%w : i8) outs(%a : memref<4x8xi8>)
  memref.copy %a, %p : memref<4x8xi8> to memref<4x8xi8>
  memref.copy %both, %o : memref<4x16xi8> to memref<4x16xi8>
  return
}

// -----

// Rows would not be one dimension in the other place.
// CHECK-LABEL: func.func @collapsed(
// CHECK: memref.collapse_shape {{.*}} : memref<4x8xi8> into memref<32xi8>
// CHECK: memref.copy
func.func @collapsed(%v: i8, %o: memref<4x16xi8>) {
  %a = memref.alloc() : memref<4x8xi8>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x8xi8> into memref<32xi8>
  linalg.fill ins(%v : i8) outs(%flat : memref<32xi8>)
  %both = memref.alloc() : memref<4x16xi8>
  %0 = memref.subview %both[0, 0] [4, 8] [1, 1] : memref<4x16xi8> to memref<4x8xi8, strided<[16, 1]>>
  memref.copy %a, %0 : memref<4x8xi8> to memref<4x8xi8, strided<[16, 1]>>
  memref.copy %both, %o : memref<4x16xi8> to memref<4x16xi8>
  return
}

// -----

// Sizes that are known before do not prevent it. Sizes that a loop computes after do.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: %[[BOTH:.*]] = memref.alloc(%[[N]]) : memref<?x16xi8>
// CHECK: %[[PLACE:.*]] = memref.subview %[[BOTH]][0, 8] [%[[N]], 8]
// CHECK: linalg.fill {{.*}} outs(%[[PLACE]]
// CHECK: memref.copy %[[BOTH]]
func.func @dynamic(%n: index, %v: i8, %o: memref<?x16xi8>) {
  %a = memref.alloc(%n) : memref<?x8xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<?x8xi8>)
  %both = memref.alloc(%n) : memref<?x16xi8>
  %0 = memref.subview %both[0, 8] [%n, 8] [1, 1] : memref<?x16xi8> to memref<?x8xi8, strided<[16, 1], offset: 8>>
  memref.copy %a, %0 : memref<?x8xi8> to memref<?x8xi8, strided<[16, 1], offset: 8>>
  memref.copy %both, %o : memref<?x16xi8> to memref<?x16xi8>
  return
}

// CHECK-LABEL: func.func @sizes_after(
// CHECK: memref.copy
// CHECK: memref.copy
func.func @sizes_after(%n: memref<index>, %v: i8, %o: memref<?x8xi8>) {
  %a = memref.alloc() : memref<4x8xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<4x8xi8>)
  %size = memref.load %n[] : memref<index>
  %both = memref.alloc(%size) : memref<?x8xi8>
  %0 = memref.subview %both[0, 0] [4, 8] [1, 1] : memref<?x8xi8> to memref<4x8xi8, strided<[8, 1]>>
  memref.copy %a, %0 : memref<4x8xi8> to memref<4x8xi8, strided<[8, 1]>>
  memref.copy %both, %o : memref<?x8xi8> to memref<?x8xi8>
  return
}

// -----

// The copies add a dimension of one element, as where phases of a transposed convolution are put side by side.
// CHECK-LABEL: func.func @expanded(
// CHECK: %[[ALL:.*]] = memref.alloc() : memref<4x2x8xi8>
// CHECK: %[[P0:.*]] = memref.subview %[[ALL]][0, 0, 0] [4, 1, 8]
// CHECK: %[[A:.*]] = memref.collapse_shape %[[P0]] {{\[\[}}0, 1], [2]] : memref<4x1x8xi8, strided<[16, 8, 1]>> into memref<4x8xi8, strided<[16, 1]>>
// CHECK: linalg.fill {{.*}} outs(%[[A]] :
// CHECK: %[[P1:.*]] = memref.subview %[[ALL]][0, 1, 0] [4, 1, 8]
// CHECK: %[[B:.*]] = memref.collapse_shape %[[P1]]
// CHECK: linalg.fill {{.*}} outs(%[[B]] :
// CHECK-NOT: memref.copy
// CHECK: linalg.map {{.*}} ins(%[[ALL]]
func.func @expanded(%v: i8, %w: i8, %o: memref<4x2x8xi8>) {
  %a = memref.alloc() : memref<4x8xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<4x8xi8>)
  %b = memref.alloc() : memref<4x8xi8>
  linalg.fill ins(%w : i8) outs(%b : memref<4x8xi8>)
  %both = memref.alloc() : memref<4x2x8xi8>
  %ea = memref.expand_shape %a [[0, 1], [2]] output_shape [4, 1, 8] : memref<4x8xi8> into memref<4x1x8xi8>
  %0 = memref.subview %both[0, 0, 0] [4, 1, 8] [1, 1, 1] : memref<4x2x8xi8> to memref<4x1x8xi8, strided<[16, 8, 1]>>
  memref.copy %ea, %0 : memref<4x1x8xi8> to memref<4x1x8xi8, strided<[16, 8, 1]>>
  %eb = memref.expand_shape %b [[0, 1], [2]] output_shape [4, 1, 8] : memref<4x8xi8> into memref<4x1x8xi8>
  %1 = memref.subview %both[0, 1, 0] [4, 1, 8] [1, 1, 1] : memref<4x2x8xi8> to memref<4x1x8xi8, strided<[16, 8, 1], offset: 8>>
  memref.copy %eb, %1 : memref<4x1x8xi8> to memref<4x1x8xi8, strided<[16, 8, 1], offset: 8>>
  linalg.map { arith.addi } ins(%both, %both : memref<4x2x8xi8>, memref<4x2x8xi8>) outs(%o : memref<4x2x8xi8>)
  return
}

// -----

// The part is no line of as many elements: the copy stays.
// CHECK-LABEL: func.func @apart(
// CHECK: memref.copy
func.func @apart(%v: i8, %o: memref<4x2x8xi8>) {
  %a = memref.alloc() : memref<32xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<32xi8>)
  %both = memref.alloc() : memref<4x2x8xi8>
  %ea = memref.expand_shape %a [[0, 1, 2]] output_shape [4, 1, 8] : memref<32xi8> into memref<4x1x8xi8>
  %0 = memref.subview %both[0, 0, 0] [4, 1, 8] [1, 1, 1] : memref<4x2x8xi8> to memref<4x1x8xi8, strided<[16, 8, 1]>>
  memref.copy %ea, %0 : memref<4x1x8xi8> to memref<4x1x8xi8, strided<[16, 8, 1]>>
  linalg.map { arith.addi } ins(%both, %both : memref<4x2x8xi8>, memref<4x2x8xi8>) outs(%o : memref<4x2x8xi8>)
  return
}
