// RUN: qcc-opt %s | qcc-opt | FileCheck %s

// CHECK: #nvptx.config<threads, atom = "mad", source = model>
func.func private @threads() attributes {config = #nvptx.config<threads, atom = "mad", source = model>}

// CHECK: #nvptx.config<mma_tiles, atom = "mma-m16n8k32", tile = [16, 32], source = pinned>
func.func private @mma_tiles() attributes {config = #nvptx.config<mma_tiles, atom = "mma-m16n8k32", tile = [16, 32], source = pinned>}
