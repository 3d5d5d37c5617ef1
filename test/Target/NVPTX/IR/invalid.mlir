// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// expected-error@+2 {{expected ::qcc::nvptx::StrategyKind to be one of: threads, mma_tiles}}
// expected-error@+1 {{failed to parse NVPTX_ConfigAttr parameter 'strategy'}}
func.func private @f() attributes {config = #nvptx.config<tiles, atom = "mad", source = model>}

// -----

// expected-error@+1 {{expected 'atom'}}
func.func private @f() attributes {config = #nvptx.config<threads, source = model>}

// -----

// expected-error@+1 {{sizes of the tile must be positive}}
func.func private @f() attributes {config = #nvptx.config<mma_tiles, atom = "mma-m8n8k16", tile = [0, 8], source = model>}

// -----

// expected-error@+1 {{threads computes one result at a time; leave out the tile}}
func.func private @f() attributes {config = #nvptx.config<threads, atom = "mad", tile = [1, 8], source = model>}
