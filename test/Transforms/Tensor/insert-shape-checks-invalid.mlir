// RUN: qcc-opt %s -insert-shape-checks -split-input-file -verify-diagnostics

func.func @index(%x: tensor<8xf32>) -> f32 {
  %c = arith.constant 100 : index
  // expected-error@+1 {{'tensor.extract' is wrong whatever the shapes are: index 100 is outside of dimension 0, which has 8 elements}}
  %e = tensor.extract %x[%c] : tensor<8xf32>
  return %e : f32
}

// -----

func.func @negative_index(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %c = arith.constant -1 : index
  // expected-error@+1 {{'tensor.insert' is wrong whatever the shapes are: index -1 is outside of dimension 0 of argument 0}}
  %e = tensor.insert %v into %x[%c] : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @in_a_body(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<8xf32>) {
    ^bb0(%o: f32):
      %c = arith.constant 8 : index
      // expected-error@+1 {{index 8 is outside of dimension 0, which has 8 elements}}
      %e = tensor.extract %x[%c] : tensor<8xf32>
      linalg.yield %e : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @empty(%x: tensor<0xf32>, %i: index) -> f32 {
  // expected-error@+1 {{'tensor.extract' is wrong whatever the shapes are: an element of an empty tensor is accessed, having 0}}
  %e = tensor.extract %x[%i] : tensor<0xf32>
  return %e : f32
}

// -----

func.func @slice(%x: tensor<8xf32>) -> tensor<2xf32> {
  %c = arith.constant 7 : index
  // expected-error@+1 {{'tensor.extract_slice' is wrong whatever the shapes are: a slice leaves its tensor, of 8}}
  %e = tensor.extract_slice %x[%c] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %e : tensor<2xf32>
}

// -----

func.func @large_slice(%x: tensor<3xf32>, %y: tensor<5xf32>, %i: index) -> tensor<3xf32> {
  // expected-error@+1 {{'tensor.insert_slice' is wrong whatever the shapes are: a slice leaves its tensor, of 3}}
  %e = tensor.insert_slice %y into %x[%i] [5] [1] : tensor<5xf32> into tensor<3xf32>
  return %e : tensor<3xf32>
}

// -----

// The product of size and stride is 2^64.
func.func @overflow(%x: tensor<?xf32>, %i: index) -> tensor<4294967297xf32> {
  %c = arith.constant 4294967296 : index
  %0 = tensor.cast %x : tensor<?xf32> to tensor<6442450944xf32>
  // expected-error@+1 {{a slice leaves its tensor}}
  %e = tensor.extract_slice %0[%i] [4294967297] [%c] : tensor<6442450944xf32> to tensor<4294967297xf32>
  return %e : tensor<4294967297xf32>
}

// -----

func.func @stride(%x: tensor<8xf32>) -> tensor<2xf32> {
  %c = arith.constant 0 : index
  // expected-error@+1 {{'tensor.extract_slice' takes a slice with a stride that is not positive}}
  %e = tensor.extract_slice %x[1] [2] [%c] : tensor<8xf32> to tensor<2xf32>
  return %e : tensor<2xf32>
}

// -----

func.func @size_from_data(%x: tensor<8xf32>, %n: index) -> tensor<?xf32> {
  // expected-error@+1 {{'tensor.extract_slice' takes a slice whose size or stride depends on data or changes within a loop; only the offset of a slice may: compute the others from constants and dimensions}}
  %e = tensor.extract_slice %x[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @padding_from_data(%x: tensor<4xf32>, %n: index, %v: f32) -> tensor<8xf32> {
  // expected-error@+1 {{'tensor.pad' adds a width of padding that depends on data; insert the tensor into a filled one by tensor.insert_slice, whose offset may depend on data}}
  %e = tensor.pad %x low[%n] high[%n] {
    ^bb0(%i: index):
      tensor.yield %v : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

func.func @negative_padding(%x: tensor<4xf32>, %v: f32) -> tensor<?xf32> {
  %c = arith.constant -1 : index
  // expected-error@+1 {{'tensor.pad' is wrong whatever the shapes are: a width of padding is negative}}
  %e = tensor.pad %x low[%c] high[0] {
    ^bb0(%i: index):
      tensor.yield %v : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @shape_from_data(%x: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  // expected-error@+1 {{'tensor.expand_shape' makes a shape that depends on data or changes within a loop; compute it from constants and dimensions}}
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}

// -----

// The remainder is greatest before the last index.
func.func @remainder(%x: tensor<2xf32>, %y: tensor<7xf32>) -> tensor<7xf32> {
  // expected-error@+1 {{'copy in another order' is wrong whatever the shapes are: an operand is too small, having 2}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%y : tensor<7xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

func.func @carries_other_size(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.for' carries a tensor whose size depends on data or changes within the loop; carry one whose size follows from those of the arguments}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %e = tensor.empty(%i) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @carries_one_more(%x: tensor<?xf32>, %v: f32, %k: i1) -> tensor<?xf32> {
  // expected-error@+1 {{'scf.while' is wrong whatever the shapes are: dimension 0 of argument 0 + 1 must be equal to dimension 0 of argument 0}}
  %r = scf.while (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%k) %a : tensor<?xf32>
  } do {
  ^bb0(%a: tensor<?xf32>):
    %p = tensor.pad %a low[0] high[1] {
    ^bb0(%i: index):
      tensor.yield %v : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @assertion(%x: tensor<?xindex>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %h = tensor.extract %x[%c0] : tensor<?xindex>
  %enough = arith.cmpi sle, %c3, %h : index
  // expected-error@+1 {{'qnn.conv2d' asks for a size, and that size depends on data: the input needs at least 3 elements along H; compute it from constants and dimensions}}
  cf.assert %enough, "the input needs at least 3 elements along H" {qcc.origin = "qnn.conv2d"}
  return
}

// -----

func.func @condition_on_data(%x: tensor<?xindex>) {
  %c0 = arith.constant 0 : index
  %h = tensor.extract %x[%c0] : tensor<?xindex>
  %even = arith.cmpi eq, %h, %c0 : index
  // expected-error@+1 {{'cf.assert' asserts a condition that depends on data: h is 0; compute it from constants and dimensions}}
  cf.assert %even, "h is 0"
  return
}

// -----

func.func @condition_in_a_branch(%x: tensor<?xf32>, %b: i1) {
  %c0 = arith.constant 0 : index
  %h = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = arith.cmpi eq, %h, %c0 : index
  scf.if %b {
    // expected-error@+1 {{'cf.assert' stands in a loop or branch: h is 0; assert it outside}}
    cf.assert %empty, "h is 0"
  }
  return
}

// -----

func.func @never(%x: tensor<?xf32>) {
  %false = arith.constant false
  // expected-error@+1 {{'cf.assert' is wrong whatever the shapes are: no}}
  cf.assert %false, "no"
  return
}
