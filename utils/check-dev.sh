#!/usr/bin/env bash
# Builds the preset dev, which has assertions, and runs the lit suite on it, or the given tests of it:
#
#   utils/check-dev.sh [FOLDER_OR_FILE...]      utils/check-dev.sh test/Transforms test/Target/X86/amx.mlir
#
# QCC_LIT_ARGS, if set, is handed to lit. utils/check.sh installs what is missing and tests the preset release.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tests=()
for test in "$@"; do
  path=$(realpath --relative-to="$root" -- "$test")
  if [[ ! -e $test || $path/ != test/* && $path/ != emulator/test/* ]]; then
    echo "check-dev: '$test' is no file or folder of $root/test or $root/emulator/test" >&2
    exit 1
  fi
  tests+=("build/dev/$path")
done
[ $# -gt 0 ] || tests=(build/dev/test build/dev/emulator/test)
cd "$root"

log=build/dev.log
mkdir -p build
echo "building build/dev (log: $log)"
if ! { cmake --preset dev && cmake --build --preset dev; } >"$log" 2>&1 </dev/null; then
  grep -m 20 -A 12 -E 'error:|CMake Error|FAILED:' "$log" >&2 || tail -n 40 "$log" >&2
  echo "check-dev: the build failed (all of its output: $log)" >&2
  exit 1
fi
lit=$(sed -n 's/^LLVM_TOOLS_BINARY_DIR:[^=]*=//p' build/dev/CMakeCache.txt)
# shellcheck disable=SC2086 # the arguments are a list
"${lit:-/usr/lib/llvm-22/bin}/lit" -sv ${QCC_LIT_ARGS:-} "${tests[@]}" </dev/null
