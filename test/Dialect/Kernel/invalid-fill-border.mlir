// RUN: qcc-opt %s -split-input-file -verify-diagnostics

func.func @type(%v: i32, %x: memref<6x4xi8>) {
  // expected-error@+1 {{value must have type 'i8', the element type of out}}
  kernel.fill_border %v : i32 outs(%x : memref<6x4xi8>) low [1, 0] high [1, 0]
  return
}

// -----

func.func @rank(%v: i8, %x: memref<6x4xi8>) {
  // expected-error@+1 {{low and high must have 2 elements}}
  kernel.fill_border %v : i8 outs(%x : memref<6x4xi8>) low [1] high [1, 0]
  return
}

// -----

func.func @negative(%v: i8, %x: memref<6x4xi8>) {
  // expected-error@+1 {{low and high must not be negative}}
  kernel.fill_border %v : i8 outs(%x : memref<6x4xi8>) low [1, 0] high [1, -1]
  return
}

// -----

func.func @size(%v: i8, %x: memref<6x4xi8>) {
  // expected-error@+1 {{has a border of 3 and 2 elements in dimension 1, which has size 4}}
  kernel.fill_border %v : i8 outs(%x : memref<6x4xi8>) low [1, 3] high [1, 2]
  return
}

// -----

func.func @result(%v: i8, %x: tensor<6x4xi8>) {
  // expected-error@+1 {{must have a result of the type of out where that is a tensor, and none where it is a memref}}
  kernel.fill_border %v : i8 outs(%x : tensor<6x4xi8>) low [1, 0] high [1, 0]
  return
}
