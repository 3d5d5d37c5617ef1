"""Prints a program that is a chain of as many additions as asked for."""

import sys

print("func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {")
value = "%x"
for i in range(int(sys.argv[1])):
    print(f"  %{i} = arith.addf {value}, %x : tensor<64xf32>")
    value = f"%{i}"
print(f"  return {value} : tensor<64xf32>\n}}")
