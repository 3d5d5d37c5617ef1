#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs every test. The last line
# is `N passed, N failed`; the exit code is 1 if anything failed.
#
# QCC_LIT_ARGS and QCC_PYTEST_ARGS, if set, are handed to lit and pytest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

passed=0
failed=0

# A check that is one test: check NAME COMMAND...
check() {
  local name=$1 log
  shift
  log=build/check-$name.log
  if "$@" >"$log" 2>&1 </dev/null; then
    passed=$((passed + 1))
    echo "pass: $name"
  else
    failed=$((failed + 1))
    tail -n 60 "$log"
    echo "FAIL: $name (log: $log)"
  fi
}

# Adds the counts that a test runner left behind: count NAME RESULTS EXIT_CODE
count() {
  local name=$1 results=$2 code=$3 counts p f
  if counts=$(build/venv/bin/python utils/count-tests.py "$results"); then
    read -r p f <<<"$counts"
  else
    p=0 f=1
  fi
  # A runner that failed without a failed test did not get to run them all.
  if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
    f=1
  fi
  passed=$((passed + p))
  failed=$((failed + f))
  echo "$name: $p passed, $f failed"
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

format() {
  find include lib tools emulator test cmake examples benchmarks \( -name '*.h' -o -name '*.hpp' -o -name '*.cpp' -o -name '*.c' \) \
    -not -path '*/Inputs/*' -print0 | xargs -0 -r clang-format-22 --dry-run -Werror
}

mkdir -p build
if ! utils/install-deps.sh; then
  failed=1
  echo "FAIL: install"
  finish
fi

check format format
check layering build/venv/bin/python utils/check-layering.py
check ruff build/venv/bin/ruff check -q .
check prose build/venv/bin/python utils/check-prose.py

if utils/build-release.sh; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAIL: build"
  finish
fi
check tidy utils/run-tidy.sh --most=20

results=build/results
rm -rf "$results"
mkdir -p "$results"

code=0
# shellcheck disable=SC2086 # the arguments are a list
/usr/lib/llvm-22/bin/lit -q ${QCC_LIT_ARGS:-} --output "$results/lit.json" \
  build/release/test build/release/emulator/test </dev/null || code=$?
count lit "$results/lit.json" "$code"

# A file of tests at a time on each CPU, then those that want the machine for themselves.
# run_pytest NAME ARGUMENTS...
run_pytest() {
  local name=$1 code=0
  shift
  # shellcheck disable=SC2086
  QCC_BUILD_DIR=$root/build/release build/venv/bin/python -m pytest -q --no-header --tb=short \
    -p no:cacheprovider --junit-xml="$results/$name.xml" "$@" ${QCC_PYTEST_ARGS:-} \
    test/Python </dev/null || code=$?
  # The caller's arguments may leave out all tests of one kind.
  if [ "$code" -eq 5 ] && [ -n "${QCC_PYTEST_ARGS:-}" ]; then code=0; fi
  count "$name" "$results/$name.xml" "$code"
}
run_pytest pytest -m "not alone" --numprocesses="$(nproc)" --dist=loadfile --no-loadscope-reorder
run_pytest pytest-alone -m alone

finish
