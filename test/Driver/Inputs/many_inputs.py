"""many_inputs.py COUNT: an elementwise operation of as many inputs, which are all added up."""

import sys

count = int(sys.argv[1])
kind = "tensor<64xf32>"
print(f"func.func @many({', '.join(f'%x{i}: {kind}' for i in range(count))}) -> {kind} {{")
print(f"  %o = tensor.empty() : {kind}")
print(f"  %y = linalg.generic {{indexing_maps = [{', '.join(['affine_map<(i) -> (i)>'] * (count + 1))}], "
      "iterator_types = [\"parallel\"]}")
print(f"      ins({', '.join(f'%x{i}' for i in range(count))} : {', '.join([kind] * count)}) outs(%o : {kind}) {{")
print(f"  ^bb0({', '.join(f'%a{i}: f32' for i in range(count))}, %out: f32):")
print("    %s0 = arith.addf %a0, %a0 : f32")
for i in range(1, count):
    print(f"    %s{i} = arith.addf %s{i - 1}, %a{i} : f32")
print(f"    linalg.yield %s{count - 1} : f32\n  }} -> {kind}\n  return %y : {kind}\n}}")
