// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// expected-error@+2 {{expected ::qcc::nvptx::StrategyKind to be one of: threads}}
// expected-error@+1 {{failed to parse NVPTX_ConfigAttr parameter 'strategy'}}
func.func private @f() attributes {config = #nvptx.config<tiles, atom = "mad", source = model>}

// -----

// expected-error@+1 {{expected 'atom'}}
func.func private @f() attributes {config = #nvptx.config<threads, source = model>}
