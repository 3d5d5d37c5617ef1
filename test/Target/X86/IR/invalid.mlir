// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expected ','}}
func.func private @f() attributes {config = #x86.config<vector_tiles, atom = "a", tile = [1, 2], block = [1, 2], lhs = panel, source = model>}

// -----

// expected-error@+1 {{expected ','}}
func.func private @f() attributes {config = #x86.config<vector_tiles, atom = "a", tile = [1, 2, 4], block = [1], lhs = panel, source = model>}

// -----

// expected-error@+1 {{sizes of tile and block must be positive}}
func.func private @f() attributes {config = #x86.config<vector_tiles, atom = "a", tile = [0, 2, 4], block = [1, 2], lhs = panel, source = model>}

// -----

// expected-error@+1 {{block must be a multiple of the tile: MC of MR, NC of NR}}
func.func private @f() attributes {config = #x86.config<vector_tiles, atom = "a", tile = [1, 2, 4], block = [1, 3], lhs = panel, source = model>}

// -----

// expected-error@+1 {{KR must be 1, 2 or 4}}
func.func private @f() attributes {config = #x86.config<vector_tiles, atom = "a", tile = [1, 2, 3], block = [1, 2], lhs = panel, source = model>}

// -----

// expected-error@+1 {{expected 'atom'}}
func.func private @f() attributes {config = #x86.config<vector_tiles, tile = [1, 2, 4]>}

// -----

// expected-error@+2 {{to be one of: panel, in_place}}
// expected-error@+1 {{failed to parse X86_ConfigAttr parameter 'lhs'}}
func.func private @f() attributes {config = #x86.config<vector_tiles, atom = "a", tile = [1, 2, 4], block = [1, 2], lhs = there, source = model>}

// -----

// expected-error@+2 {{to be one of: packed, in_place}}
// expected-error@+1 {{failed to parse X86_ConfigAttr parameter 'rhs'}}
func.func private @f() attributes {config = #x86.config<inner_product, atom = "a", tile = [1, 2, 4], block = [1, 2], lhs = panel, rhs = there, source = model>}

// -----

// expected-error@+2 {{to be one of: model, tuned, pinned}}
// expected-error@+1 {{failed to parse X86_ConfigAttr parameter 'source'}}
func.func private @f() attributes {config = #x86.config<vector_tiles, atom = "a", tile = [1, 2, 4], block = [1, 2], lhs = panel, source = guess>}

// -----

// expected-error@+1 {{expected valid keyword}}
func.func private @f() attributes {config = #x86.config<"vector_tiles", atom = "a", tile = [1, 2, 4], block = [1, 2], lhs = panel, source = model>}
