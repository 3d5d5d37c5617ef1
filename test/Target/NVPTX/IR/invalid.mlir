// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{no strategy of nvptx has the name 'tiles'}}
func.func private @f() attributes {config = #nvptx.config<tiles, atom = "mad", source = model>}

// -----

// expected-error@+1 {{expected 'atom'}}
func.func private @f() attributes {config = #nvptx.config<threads, source = model>}

// -----

// expected-error@+1 {{multistage needs tile, warp and stages, all of them positive, as parts and sums are}}
func.func private @f() attributes {config = #nvptx.config<multistage, atom = "mma-m8n8k16", source = model>}

// -----

// expected-error@+1 {{multistage needs tile, warp and stages, all of them positive, as parts and sums are}}
func.func private @f() attributes {config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 0, source = model>}

// -----

// expected-error@+1 {{rows and columns of the tile must be multiples of those of a warp}}
func.func private @f() attributes {config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 48, 64], warp = [16, 32], stages = 2, source = model>}

// -----

// expected-error@+1 {{threads computes one result at a time; leave out tile, warp, stages, parts, sums and rhs_bits}}
func.func private @f() attributes {config = #nvptx.config<threads, atom = "mad", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>}

// -----

// expected-error@+1 {{decode needs tile, warp and stages, all of them positive, as parts and sums are}}
func.func private @f() attributes {config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, parts = 0, source = model>}

// -----

// expected-error@+1 {{rows_up_to must be more than rows_above, and neither is negative}}
func.func private @f() attributes {config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, rows_above = 16, rows_up_to = 16, source = model>}

// -----

// expected-error@+1 {{few_rows must have configs of nvptx without few_rows of their own}}
func.func private @f() attributes {config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, rows_above = 16, few_rows = [1], source = model>}

// -----

#few = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, rows_up_to = 8, source = model>
#more = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, rows_above = 9, rows_up_to = 16, source = model>
// expected-error@+1 {{few_rows must have guards that follow each other, but one of them begins above 9 rows and not above 8}}
func.func private @f() attributes {config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, rows_above = 16, few_rows = [#few, #more], source = model>}

// -----

#few = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, rows_up_to = 8, source = model>
// expected-error@+1 {{rows_above must be 8, up to which few_rows has configs}}
func.func private @f() attributes {config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, few_rows = [#few], source = model>}

// -----

func.func @f(%count: index) {
  // expected-error@+1 {{must have a multiple of 32 threads up to 1024, not 48}}
  nvptx.blocks %count threads 48 shared 0 {
  ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
  }
  return
}

// -----

func.func @f(%count: index) {
  // expected-error@+1 {{must not have -1 bytes of shared memory}}
  nvptx.blocks %count threads 32 shared -1 {
  ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
  }
  return
}

// -----

func.func @f(%count: index) {
  // expected-error@+1 {{needs a body with arguments of the types 'index', 'index' and '!llvm.ptr<3>'}}
  nvptx.blocks %count threads 32 shared 0 {
  ^bb0(%block: index, %thread: index):
  }
  return
}

// -----

func.func @f(%x: memref<8x512xi8>) {
  // expected-error@+1 {{needs from 2 to 5 dimensions, strides of all but the innermost one, and a box with a size for each}}
  nvptx.tensor_map %x dims [512, 8] strides [512, 512] box [128, 8] swizzle 128 : memref<8x512xi8> -> !llvm.ptr
  return
}

// -----

func.func @f(%x: memref<8x500xi8>) {
  // expected-error@+1 {{needs strides that are multiples of 16, not 500}}
  nvptx.tensor_map %x dims [500, 8] strides [500] box [128, 8] swizzle 128 : memref<8x500xi8> -> !llvm.ptr
  return
}

// -----

func.func @f(%x: memref<800x512xi8>) {
  // expected-error@+1 {{needs a box of 1 to 256 elements in each dimension, not 257}}
  nvptx.tensor_map %x dims [512, 800] strides [512] box [128, 257] swizzle 128 : memref<800x512xi8> -> !llvm.ptr
  return
}

// -----

func.func @f(%x: memref<8x512xi8>) {
  // expected-error@+1 {{needs a swizzle of 0, 32, 64 or 128 bytes, not 16}}
  nvptx.tensor_map %x dims [512, 8] strides [512] box [128, 8] swizzle 16 : memref<8x512xi8> -> !llvm.ptr
  return
}

// -----

// expected-error@+1 {{rhs_bits must be 8 or 4, but is 2}}
func.func private @f() attributes {config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, rhs_bits = 2, source = model>}

// -----

// expected-error@+1 {{multistage has neither sums nor rhs_bits, which are for decode}}
func.func private @f() attributes {config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, rhs_bits = 4, source = model>}

// -----

#few = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, rhs_bits = 4, rows_up_to = 8, source = model>
// expected-error@+1 {{few_rows must have rhs_bits = 8, since all configs read one packed operand}}
func.func private @f() attributes {config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, rows_above = 8, few_rows = [#few], source = model>}
