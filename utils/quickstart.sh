#!/usr/bin/env bash
# From a fresh Debian 12 to a running network: installs what is missing, builds the
# release preset, writes an ONNX model, compiles and runs it and shows that its results are
# exact, which kernels ran and where the time went.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

utils/install-deps.sh
utils/build-release.sh

qcc=build/release/bin/qcc
model=build/classifier.onnx

show() {
  echo
  echo "\$ $*"
  "$@"
}
show "$qcc" targets
show python3 docs/examples/make_classifier.py "$model"
show "$qcc" run "$model" --dim=batch=64 --check
show "$qcc" explain "$model"
show "$qcc" bench "$model" --dim=batch=64
