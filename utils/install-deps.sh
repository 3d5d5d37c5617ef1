#!/usr/bin/env bash
# Installs what building and testing qcc needs on Debian 12: packages, as root or
# through sudo and only where one is missing, and a Python environment in build/venv.
# Shared by quickstart.sh and check.sh; safe to run again.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DEBIAN_FRONTEND=noninteractive

packages=(
  # To build.
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  liblld-22-dev libzstd-dev zlib1g-dev libxml2-dev libprotozero-dev
  flatbuffers-compiler libflatbuffers-dev
  ninja-build cmake ccache
  # To measure: the peer of qcc-bench.
  libdnnl-dev
  # To test.
  libclang-rt-22-dev libgtest-dev libmpfr-dev libsodium23 pkg-config clang-format-22 clang-tidy-22 git python3 python3-venv
)

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || {
    echo "install-deps: apt-get not found; these packages of Debian 12 are needed: ${missing[*]}" >&2
    exit 1
  }
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "install-deps: run as root or install sudo; missing packages: ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo --preserve-env=DEBIAN_FRONTEND)
  fi
  mkdir -p "$root/build"
  log=$root/build/install.log
  echo "installing ${missing[*]}"
  if ! { "${as_root[@]}" apt-get update -q &&
         "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"; } \
       >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    echo "install-deps: apt-get failed (all of its output: $log)" >&2
    exit 1
  fi
fi

# Debian's own python3, which python3-venv belongs to, even if PATH has another.
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3)
venv=$root/build/venv
requirements=$root/test/Python/requirements.txt
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  echo "installing Python packages into build/venv"
  rm -rf "$venv"
  mkdir -p "$root/build"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement "$requirements" </dev/null
  cp "$requirements" "$venv/requirements.txt"
fi
