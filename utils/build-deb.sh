#!/usr/bin/env bash
# Builds a package for Debian 12 with all of qcc: the commands, the libraries, headers, man pages and completion. It needs
# no LLVM: its files are those of tools/standalone. The same sources give the same bytes.
# Usage: utils/build-deb.sh [BUILD [OUTPUT]] (build/release, and the folder packages in it)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/release}
output=${2:-$build/packages}
[ -e "$build/build.ninja" ] || {
  echo "build-deb: $build is not a configured build; run cmake --preset release" >&2
  exit 2
}
command -v dpkg-deb >/dev/null || {
  echo "build-deb: dpkg-deb not found; install the package dpkg" >&2
  exit 1
}
strip=/usr/lib/llvm-22/bin/llvm-strip
version=$(sed -n 's/^project(qcc VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
architecture=$(dpkg --print-architecture)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The list of what `uninstall` removes is of installations, not of this folder.
manifest=$build/install_manifest.txt
[ ! -e "$manifest" ] || cp -p "$manifest" "$folder/manifest"

log=$folder/log
if ! { cmake --build "$build" --target qcc-standalone qcc qcc-lsp-server qcc-run qcc-isolated-compiler \
         QCCCompilerCAPI QCCRuntimeCAPI QCCRuntimeStatic qcc-tool-outputs &&
       DESTDIR=$folder/root cmake --install "$build" --prefix /usr; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "build-deb: the build failed" >&2
  exit 1
fi
rm -f "$manifest"
[ ! -e "$folder/manifest" ] || mv "$folder/manifest" "$manifest"
usr=$folder/root/usr
for file in "$build"/standalone/bin/* "$build"/standalone/lib/lib*.so.*.*; do
  "$strip" "$file" -o "$usr/$(basename "$(dirname "$file")")/$(basename "$file")"
done
mv "$usr/share/doc/qcc" "$usr/share/doc/qcc-compiler"
mv "$usr/share/doc/qcc-compiler/LICENSE" "$usr/share/doc/qcc-compiler/copyright"
gzip -9n "$usr"/share/man/man1/*.1

mkdir "$folder/root/DEBIAN"
cat >"$folder/root/DEBIAN/control" <<CONTROL
Package: qcc-compiler
Version: $version
Architecture: $architecture
Maintainer: The qcc project
Depends: libc6 (>= 2.28), libgcc-s1, zlib1g
Installed-Size: $(find "$usr" -type f -printf '%s\n' | awk '{kib += int(($1 + 1023) / 1024)} END {print kib}')
Section: devel
Priority: optional
Description: compiler and runtime for quantized neural networks
 The commands qcc, qcc-run and qcc-lsp-server, and the libraries libqcc and
 libqcc_runtime with their headers. LLVM is inside libqcc.
CONTROL
printf 'activate-noawait ldconfig\n' >"$folder/root/DEBIAN/triggers"
chmod -R u=rwX,go=rX "$folder/root"
# The time of the commit is the time of all files.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)
export SOURCE_DATE_EPOCH
find "$folder/root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$output"
package=$output/qcc-compiler_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zzstd --build "$folder/root" "$package" >/dev/null
(cd "$output" && sha256sum -- *.deb >SHA256SUMS)
echo "$package: $(stat -c %s "$package" | awk '{printf "%.2f MB", $1 / 1e6}')"
