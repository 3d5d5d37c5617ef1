// DEFINE: %{lower} = | mlir-opt -scf-forall-to-for -expand-strided-metadata -lower-affine -convert-vector-to-scf -convert-vector-to-llvm -convert-scf-to-cf -convert-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main --entry-point-result=i32 | FileCheck %s
// RUN: qcc-opt %s -lower-linalg-to-vector-loops=vector-bits=128 %{lower} | %{run}
// RUN: qcc-opt %s -lower-linalg-to-vector-loops=vector-bits=256 %{lower} | %{run}
// RUN: qcc-opt %s -lower-linalg-to-vector-loops=vector-bits=512 %{lower} | %{run}

// Tiles that are turned in registers, with rows and columns left over, against single elements: how many differ.
// CHECK: {{^0$}}

#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>

func.func private @turn_floats(%x: memref<77x91xf32>, %y: memref<91x77xf32>) {
  linalg.generic {indexing_maps = [#cr, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<77x91xf32>) outs(%y : memref<91x77xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// A second input lies as the output does.
func.func private @turn_bytes(%x: memref<?x?xi8>, %z: memref<?x?xi8>, %y: memref<?x?xi8>) {
  linalg.generic {indexing_maps = [#cr, #rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : memref<?x?xi8>, memref<?x?xi8>) outs(%y : memref<?x?xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %s = arith.addi %a, %b : i8
    linalg.yield %s : i8
  }
  return
}

func.func private @turn_words(%x: memref<24x40xi16>, %y: memref<40x24xi64>) {
  linalg.generic {indexing_maps = [#cr, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<24x40xi16>) outs(%y : memref<40x24xi64>) {
  ^bb0(%a: i16, %o: i64):
    %s = arith.extsi %a : i16 to i64
    linalg.yield %s : i64
  }
  return
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %c40 = arith.constant 40 : index
  %c77 = arith.constant 77 : index
  %c91 = arith.constant 91 : index
  %c200 = arith.constant 200 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32

  %x = memref.alloc() : memref<77x91xf32>
  %y = memref.alloc() : memref<91x77xf32>
  %w = memref.alloc() : memref<24x40xi16>
  %v = memref.alloc() : memref<40x24xi64>
  %a = memref.alloc(%c200, %c91) : memref<?x?xi8>
  %b = memref.alloc(%c91, %c200) : memref<?x?xi8>
  %c = memref.alloc(%c91, %c200) : memref<?x?xi8>
  scf.for %i = %c0 to %c200 step %c1 {
    scf.for %j = %c0 to %c91 step %c1 {
      %n = arith.muli %i, %c91 : index
      %k = arith.addi %n, %j : index
      %k32 = arith.index_cast %k : index to i32
      %k8 = arith.trunci %k32 : i32 to i8
      memref.store %k8, %a[%i, %j] : memref<?x?xi8>
      %i32 = arith.index_cast %i : index to i32
      %i8 = arith.trunci %i32 : i32 to i8
      memref.store %i8, %b[%j, %i] : memref<?x?xi8>
      %isFloat = arith.cmpi ult, %i, %c77 : index
      scf.if %isFloat {
        %f = arith.sitofp %k32 : i32 to f32
        memref.store %f, %x[%i, %j] : memref<77x91xf32>
      }
      %isRow = arith.cmpi ult, %i, %c24 : index
      %isColumn = arith.cmpi ult, %j, %c40 : index
      %isWord = arith.andi %isRow, %isColumn : i1
      scf.if %isWord {
        %k16 = arith.trunci %k32 : i32 to i16
        memref.store %k16, %w[%i, %j] : memref<24x40xi16>
      }
    }
  }
  func.call @turn_floats(%x, %y) : (memref<77x91xf32>, memref<91x77xf32>) -> ()
  func.call @turn_words(%w, %v) : (memref<24x40xi16>, memref<40x24xi64>) -> ()
  func.call @turn_bytes(%a, %b, %c) : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?xi8>) -> ()

  %d = scf.for %i = %c0 to %c200 step %c1 iter_args(%d0 = %none) -> i32 {
    %d3 = scf.for %j = %c0 to %c91 step %c1 iter_args(%d1 = %d0) -> i32 {
      %a0 = memref.load %a[%i, %j] : memref<?x?xi8>
      %b0 = memref.load %b[%j, %i] : memref<?x?xi8>
      %c2 = memref.load %c[%j, %i] : memref<?x?xi8>
      %sum = arith.addi %a0, %b0 : i8
      %isOtherByte = arith.cmpi ne, %sum, %c2 : i8
      %isFloat = arith.cmpi ult, %i, %c77 : index
      %isOtherFloat = scf.if %isFloat -> i1 {
        %x0 = memref.load %x[%i, %j] : memref<77x91xf32>
        %y0 = memref.load %y[%j, %i] : memref<91x77xf32>
        %other = arith.cmpf une, %x0, %y0 : f32
        scf.yield %other : i1
      } else {
        %no = arith.constant false
        scf.yield %no : i1
      }
      %isRow = arith.cmpi ult, %i, %c24 : index
      %isColumn = arith.cmpi ult, %j, %c40 : index
      %isWord = arith.andi %isRow, %isColumn : i1
      %isOtherWord = scf.if %isWord -> i1 {
        %w0 = memref.load %w[%i, %j] : memref<24x40xi16>
        %v0 = memref.load %v[%j, %i] : memref<40x24xi64>
        %w1 = arith.extsi %w0 : i16 to i64
        %other = arith.cmpi ne, %w1, %v0 : i64
        scf.yield %other : i1
      } else {
        %no = arith.constant false
        scf.yield %no : i1
      }
      %any = arith.ori %isOtherByte, %isOtherFloat : i1
      %all = arith.ori %any, %isOtherWord : i1
      %more = arith.addi %d1, %one : i32
      %d2 = arith.select %all, %more, %d1 : i32
      scf.yield %d2 : i32
    }
    scf.yield %d3 : i32
  }
  return %d : i32
}
