#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy on C++ files of lib, tools and emulator, in a configured and built
# build/release (headers that TableGen writes are read from there). Exits with 1 if anything is found.
#
#   utils/run-tidy.sh            the files that differ from where this branch left origin/main; of main itself, those of
#                                the last commit
#   utils/run-tidy.sh --most=N   of these, N at most: a file takes up to ten seconds
#   utils/run-tidy.sh --all      all files (over an hour on two cores)
#   utils/run-tidy.sh FILE...    these files
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

changed() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify -q HEAD~1 || git hash-object -t tree /dev/null)
  fi
  git diff --name-only --diff-filter=d "$base" -- 'lib/*.cpp' 'tools/*.cpp' 'emulator/lib/*.cpp' 'emulator/tools/*.cpp'
}

most=
case ${1-} in
--most=*)
  most=${1#--most=}
  mapfile -t files < <(changed)
  ;;
-h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0" && exit ;;
--all) mapfile -t files < <(git ls-files 'lib/*.cpp' 'tools/*.cpp' 'emulator/lib/*.cpp' 'emulator/tools/*.cpp') ;;
'') mapfile -t files < <(changed) ;;
-*) echo "run-tidy: unknown option $1; run it with --help" >&2 && exit 2 ;;
*) files=("$@") ;;
esac
if [ ${#files[@]} -eq 0 ]; then
  echo "run-tidy: no file to check"
  exit
fi
if [ ! -e build/release/compile_commands.json ]; then
  echo "run-tidy: build/release is not configured; run utils/build-release.sh first" >&2
  exit 2
fi
if [ -n "$most" ] && [ ${#files[@]} -gt "$most" ]; then
  echo "run-tidy: leaves out ${files[*]:most}"
  files=("${files[@]:0:most}")
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-22 -p build/release --quiet --warnings-as-errors='*' 2> >(grep -v ' warnings generated' >&2)
echo "run-tidy: ${#files[@]} files, no findings"
