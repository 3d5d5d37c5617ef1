func.func @small(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
  %t = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%s : tensor<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %c = arith.maximumf %a, %b : f32 linalg.yield %c : f32 }
  %r = arith.mulf %s, %t : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @large(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %p = arith.mulf %x, %y : tensor<?xf32>
  %q = math.exp %p : tensor<?xf32>
  %s = linalg.reduce ins(%q : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
  %u = tensor.extract %s[] : tensor<f32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%q : tensor<?xf32>) outs(%g : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.subf %a, %u : f32
    linalg.yield %d : f32
  } -> tensor<?xf32>
  %t = linalg.reduce ins(%h : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) { %c = arith.mulf %a, %b : f32 linalg.yield %c : f32 }
  return %t : tensor<f32>
}
