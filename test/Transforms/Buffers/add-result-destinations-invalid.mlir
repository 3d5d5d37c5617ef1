// RUN: qcc-opt %s -add-result-destinations -verify-diagnostics

func.func @one_size_or_another(%x: tensor<?xf32>, %y: tensor<?xf32>, %k: i1) -> tensor<?xf32> {
  // expected-error@+1 {{the shape of a result depends on data: a branch or a loop gives it one size or another; qcc needs shapes that follow from those of the arguments}}
  %r = scf.if %k -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
