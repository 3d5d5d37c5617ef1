#!/usr/bin/env bash
# Runs programs on an NVIDIA GPU and compares their results bit for bit, on a machine without a compiler:
#
#   utils/check-gpu.sh prepare FOLDER [CHIP...]   where qcc and its tests are built: compiles the examples and the sweep
#                                                 for chips, sm_75 sm_80 sm_90 if not given, and computes their results
#   FOLDER/check-gpu.sh run [DEVICE]              where the GPU is, with that folder and nothing else; DEVICE is cuda if
#                                                 not given
#
# QCC_BUILD_DIR names the build, build/release if not given. `run` has a process for the cases of each artifact, and ends
# with `N passed, N failed`; the exit code is 1 if anything failed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# example NAME CASE INPUTS... : its results on the processor, and the arguments of qcc-run.
example() {
  local name=$1 case=$2
  shift 2
  if [ ! -e "$name.so" ]; then
    local compile=("$build/bin/qcc" compile "$here/../docs/examples/$name.mlir" --weights=random:7)
    "${compile[@]}" --target=x86 -o "$name.host.so"
    "${compile[@]}" --target=cuda --mcpu="$(IFS=, && echo "${chips[*]}")" -o "$name.so"
  fi
  "$build/bin/qcc-run" "$name.host.so" "$@" --output="$case.npy"
  echo "$name.so $* --expect=$case.npy" >>cases.txt
}

prepare() {
  local rows name chip
  build=$(realpath "${QCC_BUILD_DIR:-$here/../build/release}")
  mkdir -p "$1"
  cp "$build/bin/qcc-run" "$here/check-gpu.sh" "$1"
  cd "$1"
  shift
  chips=("${@:-sm_75 sm_80 sm_90}")
  read -ra chips <<<"${chips[*]}"
  rm -f cases.txt ./*.so
  for rows in 1 2 7 16 17 64 129; do
    for name in asymmetric dynamic_quant mlp_f32 mlp_f16 classifier_f32 classifier_int8; do
      example "$name" "$name-$rows" --input=random:1:-4:4 --dim="$rows"
    done
    example tf_linear "tf_linear-$rows" --input=random:1 --input=random:2:2000:8000 --dim="$rows"
  done
  example encoder encoder --input=random:1:-2:2
  rm -f ./*.host.so
  for chip in "${chips[@]}"; do
    QCC_SWEEP_FOLDER=$PWD "$build/test/Unit/Sweep/SweepTests" --gtest_filter="NVPTX/*$chip" --gtest_brief=1
  done
}

# one DEVICE ARTIFACT: runs its cases. A process that ends early fails the cases that it leaves.
one() {
  local list=$2.cases number
  grep "^$2 " cases.txt >"$list"
  number=$(wc -l <"$list")
  "$here/qcc-run" --cases="$list" --device="$1" >"$list.log" 2>&1 || true
  grep '^FAIL: ' "$list.log" || true
  if ! grep -q '^[0-9]* passed, [0-9]* failed$' "$list.log"; then
    echo "FAIL: $2: the process ended early: $(tail -1 "$list.log")"
    echo "0 passed, $number failed"
  else
    grep '^[0-9]* passed, [0-9]* failed$' "$list.log"
  fi
}

run() {
  cd "$here"
  cut -d' ' -f1 cases.txt | sort -u |
    xargs -P "$(nproc)" -n 1 "$here/check-gpu.sh" one "${1:-cuda}" |
    awk '/^FAIL: / { print; next } { passed += $1; failed += $3 }
         END { print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 || passed == 0 }'
}

case "${1:-}" in
prepare) prepare "${2:?the folder to write to is missing}" "${@:3}" ;;
run) run "${2:-}" ;;
one) one "${@:2}" ;;
*)
  sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
  ;;
esac
