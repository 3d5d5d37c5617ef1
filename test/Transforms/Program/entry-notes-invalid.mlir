// RUN: qcc-opt %s -lower-entries -split-input-file -verify-diagnostics

// expected-error @below {{qcc.dim_names of argument 0 is ["batch"], but it must be a list of 2 strings, one for each dimension}}
func.func @f(%x: memref<?x?xf32> {qcc.dim_names = ["batch"]}, %arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  return %c0, %c0 : index, index
}

// -----

// expected-error @below {{qcc.dim_names of argument 0 is [1], but it must be a list of 1 strings, one for each dimension}}
func.func @f(%x: memref<?xf32> {qcc.dim_names = [1]}, %arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  return %c0, %c0 : index, index
}

// -----

// expected-error @below {{qcc.metadata is "me", which is no dictionary of strings; write {author = "me"}}}
module attributes {qcc.metadata = "me"} {
}

// -----

// expected-error @below {{qcc.metadata is {author = 1 : i64}, which is no dictionary of strings}}
module attributes {qcc.metadata = {author = 1}} {
}
