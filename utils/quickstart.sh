#!/usr/bin/env bash
# From a fresh Debian 12 to a running network: installs what is missing, builds the
# release preset, then compiles and runs the MLP example and shows that its results are
# exact, which kernels ran and where the time went.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

utils/install-deps.sh
utils/build-release.sh

qcc=build/release/bin/qcc
example=docs/examples/mlp_f32.mlir
weights=--weights=random:7
inputs=(--input=random:1:-4:4 --dim=10240)

show() {
  echo
  echo "\$ $*"
  "$@"
}
show "$qcc" targets
show "$qcc" run "$example" "$weights" "${inputs[@]}" --check
show "$qcc" explain "$example" "$weights"
show "$qcc" bench "$example" "$weights" "${inputs[@]}"
