# pkg-config.sh PREFIX SOURCE PACKAGE OUTPUT: builds a program as a user without CMake does.
set -e
PKG_CONFIG_PATH=$1/lib/pkgconfig
export PKG_CONFIG_PATH
case $2 in
*.c) compiler=cc ;;
*) compiler="c++ -std=c++17" ;;
esac
# shellcheck disable=SC2046 # the flags are a list
$compiler "$2" -o "$4" $(pkg-config --cflags --libs "$3") "-Wl,-rpath,$(pkg-config --variable=libdir "$3")"
