// RUN: qcc-opt %s | qcc-opt | FileCheck %s

// CHECK: #x86.config<vector_tiles, atom = "avx512vnni", tile = [6, 64, 4], block = [252, 64], lhs = in_place, source = model>
func.func private @vector_tiles() attributes {config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [6, 64, 4], block = [252, 64], lhs = in_place, source = model>}

// CHECK: #x86.config<amx_tiles, atom = "amx-int8", tile = [32, 32, 4], block = [32, 64], lhs = panel, source = tuned>
func.func private @amx_tiles() attributes {config = #x86.config<amx_tiles, atom = "amx-int8", tile = [32, 32, 4], block = [32, 64], lhs = panel, source = tuned>}

// A packed right operand is the usual one.
// CHECK: #x86.config<inner_product, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = in_place, rhs = in_place, source = pinned>
func.func private @inner_product() attributes {config = #x86.config<inner_product, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = in_place, rhs = in_place, source = pinned>}
// CHECK: #x86.config<inner_product, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = in_place, source = pinned>
func.func private @packed() attributes {config = #x86.config<inner_product, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = in_place, rhs = packed, source = pinned>}

// CHECK: #x86.config<interleaved_columns, atom = "avx2", tile = [2, 16, 2], block = [2, 16], lhs = panel, source = model>
func.func private @interleaved_columns() attributes {config = #x86.config<interleaved_columns, atom = "avx2", tile = [2, 16, 2], block = [2, 16], lhs = panel, source = model>}
