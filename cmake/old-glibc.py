#!/usr/bin/env python3
"""Writes libraries to link against in place of this machine's glibc, so that a program runs with an older one as well.

A glibc keeps the older versions of its functions for programs that are linked with them, but the linker takes the
newest. The libraries that this script writes have no code. They list each function with the newest version that is not
newer than VERSION, in the library that had it in that glibc. A function that is newer is not listed, so that the linker
reports its use; tools/standalone/OldGlibc.cpp defines those that qcc uses.
"""

import argparse
import collections
import pathlib
import re
import subprocess

#: Until glibc 2.34, these functions were in libraries of their own.
MOVED = {"pthread": re.compile(r"_?_?(pthread|sem)_"), "dl": re.compile("dl"),
         "rt": re.compile(r"(aio|lio|mq|shm|timer)_")}
#: What the linker is asked for, and the file that a program then needs.
LIBRARIES = {"c": "libc.so.6", "m": "libm.so.6", "pthread": "libpthread.so.0", "dl": "libdl.so.2", "rt": "librt.so.1"}
KINDS = {"FUNC": "function", "IFUNC": "function", "OBJECT": "object", "TLS": "tls_object"}

Symbol = collections.namedtuple("Symbol", "name kind size version is_default")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--version", required=True, metavar="MAJOR.MINOR", help="the oldest glibc to run with")
    parser.add_argument("--compiler", required=True, help="a C compiler, with lld")
    parser.add_argument("--readelf", required=True, help="a readelf")
    parser.add_argument("output", type=pathlib.Path, help="a folder for the libraries")
    return parser.parse_args()


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def numbers(version):
    """(2, 2, 5) for "GLIBC_2.2.5"; None for versions that programs must not use."""
    found = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)*)", version)
    return tuple(map(int, found.group(1).split("."))) if found else None


def symbols_of(library, readelf):
    pattern = re.compile(r"^ *\d+: [0-9a-f]+ +(\d+) (\w+) +(?:GLOBAL|WEAK) +DEFAULT +\d+ (\w+)(@@?)(GLIBC_[\w.]+)$", re.M)
    for size, kind, name, at, version in pattern.findall(run(readelf, "--dyn-symbols", "-W", library)):
        if kind in KINDS and numbers(version):
            yield Symbol(name, kind, int(size), numbers(version), at == "@@")


def choose(symbols, limit):
    """The symbols that the older glibc had, as {library: [symbol]}; `symbols` are those of libc or of libm."""
    by_name = collections.defaultdict(list)
    for symbol in symbols:
        by_name[symbol.name].append(symbol)
    chosen = collections.defaultdict(list)
    for name, versions in sorted(by_name.items()):
        old = max((symbol for symbol in versions if symbol.version <= limit), key=lambda s: s.version, default=None)
        if old is None:
            continue
        newest = max(symbol.version for symbol in versions)
        moved = [library for library, names in MOVED.items() if newest > limit and names.match(name)]
        chosen[moved[0] if moved else "c"].append(old)
    return chosen


def write_library(library, symbols, folder, compiler):
    """A library of symbols that has no code."""
    versions = sorted({symbol.version for symbol in symbols})
    spelled = {version: "GLIBC_" + ".".join(map(str, version)) for version in versions}
    lines = []
    for number, symbol in enumerate(symbols):
        own = f"symbol{number}"
        section = {"FUNC": ".text", "IFUNC": ".text", "OBJECT": ".bss", "TLS": '.tbss,"awT",@nobits'}[symbol.kind]
        lines += [f".section {section}" if symbol.kind == "TLS" else section, ".balign 16", f".globl {own}",
                  f".type {own},@{KINDS[symbol.kind]}", f"{own}: .skip {max(symbol.size, 1)}",
                  f".size {own},{symbol.size}", f".symver {own},{symbol.name}@@{spelled[symbol.version]},remove"]
    source = folder / f"{library}.s"
    source.write_text("\n".join(lines) + "\n")
    script = folder / f"{library}.map"
    script.write_text("".join(f"{name} {{}};\n" for name in spelled.values()))
    output = folder / (f"lib{library}.so" if library == "m" else LIBRARIES[library])
    run(compiler, "-shared", "-nostdlib", "-fuse-ld=lld", f"-Wl,-soname,{LIBRARIES[library]}",
        f"-Wl,--version-script={script}", source, "-o", output)
    return output


def main():
    options = parse_arguments()
    limit = tuple(map(int, options.version.split(".")))
    options.output.mkdir(parents=True, exist_ok=True)
    folder = options.output.resolve()
    paths = {name: run(options.compiler, f"-print-file-name={LIBRARIES[name]}").strip() for name in ("c", "m")}
    libraries = choose(symbols_of(paths["c"], options.readelf), limit)
    libraries["m"] = choose(symbols_of(paths["m"], options.readelf), limit)["c"]
    written = {name: write_library(name, symbols, folder, options.compiler) for name, symbols in libraries.items()}
    # As the script that glibc has in its place.
    rest = run(options.compiler, "-print-file-name=libc_nonshared.a").strip()
    loader = re.search(r"\S*/ld-linux\S*", pathlib.Path(run(options.compiler, "-print-file-name=libc.so").strip()).read_text())
    needed = " ".join(str(written[name]) for name in MOVED if name in written)
    (folder / "libc.so").write_text(f"GROUP ( {written['c']} {rest} AS_NEEDED ( {needed} {loader.group()} ) )\n")


if __name__ == "__main__":
    main()
