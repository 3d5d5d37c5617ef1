#!/usr/bin/env bash
# Runs programs on an NVIDIA GPU and compares their results bit for bit, on a machine without a compiler:
#
#   utils/check-gpu.sh prepare FOLDER   where qcc and its tests are built: compiles the examples for x86-64-v3, sm_75, sm_80 and
#                                       sm_90, and the sweep for sm_80, and computes what their results are
#   FOLDER/check-gpu.sh run [DEVICE]    where the GPU is, with that folder and nothing else; DEVICE is cuda if not given
#
# QCC_BUILD_DIR names the build, build/release if not given. `run` ends with `N passed, N failed`; the exit code is 1 if
# anything failed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# example NAME CASE INPUTS... : its results on the processor, and the arguments of qcc-run.
example() {
  local name=$1 case=$2
  shift 2
  if [ ! -e "$name.so" ]; then
    "$build/bin/qcc" compile "$here/../docs/examples/$name.mlir" --weights=random:7 --target=x86,cuda \
      --mcpu=x86-64-v3,sm_75,sm_80,sm_90 -o "$name.so"
  fi
  "$build/bin/qcc-run" "$name.so" "$@" --output="$case.npy"
  echo "$name.so $* --expect=$case.npy" >>cases.txt
}

prepare() {
  local rows name
  build=$(realpath "${QCC_BUILD_DIR:-$here/../build/release}")
  mkdir -p "$1"
  cp "$build/bin/qcc-run" "$here/check-gpu.sh" "$1"
  cd "$1"
  rm -f cases.txt
  for rows in 1 2 7 16 17 64 129; do
    for name in asymmetric dynamic_quant mlp_f32 mlp_f16 classifier_f32 classifier_int8; do
      example "$name" "$name-$rows" --input=random:1:-4:4 --dim="$rows"
    done
    example tf_linear "tf_linear-$rows" --input=random:1 --input=random:2:2000:8000 --dim="$rows"
  done
  example encoder encoder --input=random:1:-2:2
  QCC_SWEEP_FOLDER=$PWD "$build/test/Unit/Sweep/SweepTests" --gtest_filter='NVPTX/*sm_80' --gtest_brief=1
}

# one DEVICE ARGUMENTS... : runs a case, says if it fails.
one() {
  local device=$1
  shift
  "$here/qcc-run" "$@" --device="$device" >/dev/null || {
    echo "FAIL: $*"
    return 1
  }
}

run() {
  local device=${1:-cuda} cases failed
  cd "$here"
  cases=$(wc -l <cases.txt)
  failed=$(xargs -P "$(nproc)" -L 1 "$here/check-gpu.sh" one "$device" <cases.txt 2>&1 | tee failures.txt | grep -c '^FAIL: ' || true)
  cat failures.txt
  echo "$((cases - failed)) passed, $failed failed"
  [ "$failed" -eq 0 ]
}

case "${1:-}" in
prepare) prepare "${2:?the folder to write to is missing}" ;;
run) run "${2:-}" ;;
one) one "${@:2}" ;;
*)
  sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
  ;;
esac
