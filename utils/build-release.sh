#!/usr/bin/env bash
# Configures and builds build/release, quietly: compiler output is shown only if it fails.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

log=build/release.log
mkdir -p build
# CMake keeps what the first configuration found out about the compiler, even if it could not be finished because
# packages were missing: without build.ninja, it has to begin anew.
if [ ! -e build/release/build.ninja ]; then
  rm -rf build/release/CMakeCache.txt build/release/CMakeFiles
fi
start=$SECONDS
echo "building build/release (log: $log)"
if ! { cmake --preset release && cmake --build --preset release; } >"$log" 2>&1 </dev/null; then
  grep -m 20 -A 12 -E 'error:|CMake Error|FAILED:' "$log" >&2 || tail -n 40 "$log" >&2
  echo "build-release: the build failed (all of its output: $log)" >&2
  exit 1
fi
warnings=$(grep -c 'warning:' "$log" || true)
echo "built in $((SECONDS - start)) s, $warnings warnings"
