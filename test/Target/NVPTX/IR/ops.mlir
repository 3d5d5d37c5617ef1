// RUN: qcc-opt %s | qcc-opt | FileCheck %s

// CHECK: #nvptx.config<threads, atom = "mad", source = model>
func.func private @threads() attributes {config = #nvptx.config<threads, atom = "mad", source = model>}
