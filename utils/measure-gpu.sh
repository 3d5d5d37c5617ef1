#!/usr/bin/env bash
# Measures what qcc makes on an NVIDIA GPU, on a machine without a compiler:
#
#   utils/measure-gpu.sh prepare FOLDER [CHIP...]   where qcc and its tests are built: makes FOLDER and FOLDER.tar.gz; for
#                                                   sm_80 sm_90 if no chip is given
#   FOLDER/measure-gpu.sh run [PART...]             where the GPU is, with what FOLDER.tar.gz holds, Python 3.9 and numpy;
#                                                   all parts if none is given
#
# Parts, in this order, each under ten minutes:
#
#   check        results of the examples and of the sweep, bit for bit (check-gpu.sh)
#   arithmetic   instructions and sequences against the emulator (ptx-on-gpu.py --arithmetic)
#   torch        cases on tensors of PyTorch, where PyTorch is installed (torch-on-gpu.py)
#   figures      layers beside what one would use instead (bench-gpu.py run)
#   calibration  configs of the layers against the cost model (bench-gpu.py calibrate)
#
# Each part writes FOLDER/results/PART.log, the last two PART.json as well. A part that has passed is not run again: delete
# its log to repeat it. The first part with a wrong result ends the run, because times of wrong code mean nothing. Exit
# codes: 0 all parts passed, 1 something is wrong, 2 wrong usage or no GPU.
#
# QCC_BUILD_DIR names the build, build/release if not given. MEASURE_SHAPES="MxNxK..." and MEASURE_CONFIGS=N choose other
# layers and another number of configs than 20; MEASURE_RUN_OPTIONS="..." are further options of bench-gpu.py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
parts=(check arithmetic torch figures calibration)
most_mib=64

usage() {
  sed -n '2,24s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
}

prepare() {
  local folder build shape chip options=()
  build=$(realpath "${QCC_BUILD_DIR:-$here/../build/release}")
  mkdir -p "$1"
  folder=$(realpath "$1")
  shift
  [ $# -gt 0 ] || set -- sm_80 sm_90
  QCC_BUILD_DIR=$build "$here/check-gpu.sh" prepare "$folder/check" "$@"
  for shape in ${MEASURE_SHAPES:-}; do options+=("--shape=$shape"); done
  for chip in "$@"; do options+=("--chip=$chip"); done
  python=$build/../venv/bin/python
  [ -x "$python" ] || python=python3
  QCC_BUILD_DIR=$build "$python" "$here/bench-gpu.py" prepare "$folder/bench" --configs="${MEASURE_CONFIGS:-20}" "${options[@]}"
  mkdir -p "$folder/tools/bin" "$folder/tools/utils"
  cp "$build/bin/qcc-ptx-emu" "$folder/tools/bin"
  cp "$here"/{ptx-on-gpu.py,ptx_arithmetic.py,ptx_wgmma.py,gpu_driver.py,torch-on-gpu.py} "$folder/tools/utils"
  cp -L "$build"/lib/libqcc_runtime.so.1 "$folder/tools"
  cp -r "$here/../python" "$folder/tools"
  find "$folder/tools" -name __pycache__ -prune -exec rm -r {} +
  cp "$here/measure-gpu.sh" "$folder"
  strip "$folder/check/qcc-run" "$folder/tools/bin/qcc-ptx-emu"
  local mib
  tar czf "$folder.tar.gz" -C "$(dirname "$folder")" "$(basename "$folder")"
  mib=$(du -sm "$folder.tar.gz" | cut -f1)
  if [ "$mib" -gt "$most_mib" ]; then
    echo "measure-gpu: $folder.tar.gz has $mib MiB, more than the $most_mib MiB that it may have; name fewer chips" >&2
    exit 1
  fi
  echo "$folder.tar.gz is ready, $mib MiB; unpack it on a machine with an NVIDIA GPU, and run measure-gpu.sh run there"
}

# part NAME: runs one; its output is the log.
part() {
  local options
  read -ra options <<<"${MEASURE_RUN_OPTIONS:-}"
  case "$1" in
  check) "$here/check/check-gpu.sh" run ;;
  arithmetic) "$python" "$here/tools/utils/ptx-on-gpu.py" --arithmetic --emulator="$here/tools/bin/qcc-ptx-emu" ;;
  torch)
    if "$python" -c 'import torch' 2>/dev/null; then
      QCC_LIBRARY_PATH=$here/tools "$python" "$here/tools/utils/torch-on-gpu.py" "$here/check"
    else
      echo "left out: PyTorch is not installed"
    fi
    ;;
  figures) "$python" "$here/bench/bench-gpu.py" run --seconds=480 --json="$here/results/figures.json" "${options[@]}" ;;
  calibration)
    "$python" "$here/bench/bench-gpu.py" calibrate --seconds=480 --json="$here/results/calibration.json" "${options[@]}"
    ;;
  esac
}

run() {
  local name code log
  python=$(command -v python3) || { echo "measure-gpu: python3 is missing; install Python 3.9 or newer with numpy" >&2; exit 2; }
  [ -d "$here/check" ] || { echo "measure-gpu: $here has no programs; make them with measure-gpu.sh prepare" >&2; exit 2; }
  for name in "$@"; do
    [[ " ${parts[*]} " == *" $name "* ]] ||
      { echo "measure-gpu: no part is called '$name'; choose of: ${parts[*]}" >&2; exit 2; }
  done
  [ $# -gt 0 ] || set -- "${parts[@]}"
  mkdir -p "$here/results"
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit --format=csv >"$here/results/gpu.csv" 2>/dev/null || true
  for name in "$@"; do
    log=$here/results/$name.log
    if [ "$(tail -n 1 "$log" 2>/dev/null)" = "passed" ]; then
      echo "$name: passed before; delete $log to repeat it"
      continue
    fi
    echo "$name: $(date +%T)"
    code=0
    part "$name" >"$log" 2>&1 || code=$?
    tail -n 3 "$log"
    if [ "$code" -ne 0 ]; then
      echo "$name: failed with exit code $code; see $log" >&2
      exit $((code == 2 ? 2 : 1))
    fi
    echo passed >>"$log"
  done
}

case "${1:-}" in
prepare) prepare "${2:?the folder to write to is missing}" "${@:3}" ;;
run) run "${@:2}" ;;
*) usage ;;
esac
