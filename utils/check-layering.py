#!/usr/bin/env python3
"""Checks the structure of qcc's sources against its architecture.

Data flows one way; a folder may include only what stands to its left:

    Analysis, Dialect -> Target -> Frontend, Conversion, Tuning -> Transforms -> Target/{X86,NVPTX}
      -> KnownTargets -> Pipelines -> CodeGen -> Compiler -> CAPI

* Analysis sees no dialect.
* Base (statuses, shapes, memory of the machine) sees nothing; all parts may see it. Artifact
  (the ABI, element types, the note and the form of the file) sees Base alone. Compiler and runtime
  meet there: of the compiler's parts those that write code or descriptors see Artifact, and
  Frontend, which refuses what exceeds its limits.
* Reference sees only dialects. Runtime sees Base and Artifact. Emulator, which implements the
  runtime's device interface, sees the runtime and Support. CAPI sees the runtime, and its part
  that is libqcc_runtime no part of the compiler. The installed headers (include/qcc-c,
  include/qcc/*.hpp) see only one another. Base, Artifact, Runtime, Support, ONNXModel and Emulator
  see no LLVM or MLIR.
* Explain sees what Transforms decided, and no target's folder.
* tools/common and tools/qcc-run see the runtime, Support and ONNXModel, the reader of
  ONNX files, and no LLVM.
* Target is the interface of all targets (qcc/Target/Target.h) and what they share; KnownTargets is
  the list of them. The two targets do not see each other, and what stands left of them sees neither.
* The emulator is in emulator/, with the folders include, lib, tools and test.
* A part is a folder below lib/, with the folder of that name below include/qcc/; Target/X86 and
  Target/NVPTX are parts by themselves. Parts include no part that includes them, directly or by
  others. It is the same with the folders in each folder.
* No atom, feature or triple of x86 is named in the code of the compiler outside of
  lib/Target/X86 and include/qcc/Target/X86.
* lib/ and include/ own no command-line options, print nothing and never end the process.
* No file of lib/ or tools/ is longer than 500 lines, but for tables (.def); no file of include/,
  test/ or utils/ is longer than 800.

Usage: check-layering.py [ROOT]. Prints one line per violation; the exit code is 1 if
there is any.
"""

import os
import re
import sys

MAX_LINES = 800
MAX_CODE_LINES = 500  # in lib/ and tools/
SOURCE_SUFFIXES = (".h", ".hpp", ".cpp", ".c", ".td", ".inc", ".def")
TEXT_SUFFIXES = SOURCE_SUFFIXES + (".py", ".sh", ".mlir", ".test", ".txt", ".cmake")

# What each part may include, besides itself and Base.
PARTS = {
    "Base": set(),
    "Artifact": set(),
    "Runtime": {"Artifact"},
    "Support": {"Artifact"},
    "Emulator": {"Artifact", "Runtime", "Support"},
    "Dialect": {"Support"},
    "Target": {"Analysis", "Dialect", "Support"},
    "Reference": {"Dialect", "Support"},
    "ONNXModel": {"Artifact", "Support"},
    "Frontend": {"Artifact", "Dialect", "Target", "Support", "ONNXModel"},
    "Analysis": {"Support"},
    "Conversion": {"Analysis", "Dialect", "Target", "Support"},
    "Tuning": {"Analysis", "Dialect", "Target", "Support"},
}
PARTS["Transforms"] = {
    "Analysis", "Dialect", "Target", "Support", "Frontend", "Conversion", "Tuning",
    "Artifact"
}
PARTS["X86"] = PARTS["Transforms"] | {"Transforms"}
PARTS["NVPTX"] = PARTS["X86"]
PARTS["Explain"] = PARTS["Transforms"] | {"Transforms"}
PARTS["KnownTargets"] = {"Target", "X86", "NVPTX"}
PARTS["Pipelines"] = PARTS["Transforms"] | {"Transforms", "KnownTargets"}
PARTS["CodeGen"] = PARTS["Transforms"] | {"Transforms"}
PARTS["Compiler"] = PARTS["CodeGen"] | {"CodeGen", "KnownTargets", "Pipelines"}
PARTS["CAPI"] = PARTS["Compiler"] | {"Compiler", "Runtime", "Reference", "Explain"}
PARTS["CAPI/Runtime"] = {"Artifact", "Runtime"}

# Tools that link no LLVM, and what they share with those that do.
PARTS["Tools"] = {"Artifact", "Emulator", "Runtime", "Support", "ONNXModel"}
PLAIN_TOOLS = ("tools/common/", "tools/qcc-ptx-emu/", "tools/qcc-run/")

for allowed in PARTS.values():
    allowed.add("Base")
PARTS["CAPI/Headers"] = set()

NO_LLVM = {"Base", "Artifact", "Runtime", "Support", "Emulator", "ONNXModel", "CAPI/Runtime", "CAPI/Headers", "Tools"}

FORBIDDEN = [
    (re.compile(r"\bcl::(opt|list|bits|alias|OptionCategory|ParseCommandLineOptions)\b"),
     "a command-line option: options exist only in tools/"),
    (re.compile(r"\b(llvm::)?(outs|errs)\s*\(\s*\)"),
     "printing: report an MLIR diagnostic or return a status"),
    (re.compile(r"\bstd::(cout|cerr|clog)\b"),
     "printing: report an MLIR diagnostic or return a status"),
    (re.compile(r"(?<![\w.>])(std::)?(printf|puts|putchar|fputs|perror|vprintf)\s*\("),
     "printing: report an MLIR diagnostic or return a status"),
    (re.compile(r"(?<!\w)(std::)?v?fprintf\s*\(\s*(stderr|stdout)\b"),
     "printing: report an MLIR diagnostic or return a status"),
    (re.compile(r"(?<![\w.>:])(std::|::)?(exit|_exit|_Exit|quick_exit|abort|terminate)\s*\("),
     "ends the process: return an error instead"),
    (re.compile(r"\breport_fatal_error\s*\("),
     "ends the process: return an error instead"),
    (re.compile(r"\bExitOnError\b"),
     "ends the process: return an error instead"),
]

# What only the folder of a target may name. The runtime detects the features of hosts, and
# loops of the compiler itself are compiled for several of them.
X86_WORDS = re.compile(
    r"(?<![\w/])(?!x86_?Target)(amx[-\w]*|avx\w*|sse\d[\w.]*|vnni|vp(dpbusd|maddwd|maddubsw)|"
    r"x86[-_]64[-\w]*|cascadelake|sapphirerapids|skylake[-\w]*|find_?Atom|allAtoms)(?!\w)",
    re.IGNORECASE)
X86_FREE = {"Analysis", "Dialect", "Target", "Frontend", "Conversion", "Tuning", "Transforms", "Pipelines",
            "CodeGen", "Compiler", "Explain"}
HOST_CODE = re.compile(r"__attribute__\(\(target\(|__builtin_cpu_supports|#\s*include")

INCLUDE = re.compile(r'^\s*#?\s*include\s*[<"]([^>"]+)[>"]')
LLVM_INCLUDE = re.compile(r"^(llvm|llvm-c|mlir|mlir-c|lld|clang)/")


def strip_comments_and_strings(text):
    """Blanks comments and string literals, keeping the line structure."""
    pattern = re.compile(
        r'R"([^(\s]*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"'
        r"|'(?:\\.|[^'\\\n])'"
    )
    return pattern.sub(lambda m: "\n" * m.group(0).count("\n") or " ", text)


def part_of(path):
    """The part that a path below lib/ or include/qcc/ belongs to, or None."""
    folders = path.split("/")
    if folders[0] == "CAPI":
        return "CAPI" if folders[1] == "Compiler" else "CAPI/Runtime"
    if folders[0] == "Target":
        return folders[1] if len(folders) > 2 and folders[1] in ("X86", "NVPTX") else "Target"
    return folders[0] if len(folders) > 1 else None


def is_installed(included):
    """Whether an include names a header of the C or C++ API."""
    folder, _, name = included.rpartition("/")
    return folder == "qcc-c" or (folder == "qcc" and name.endswith(".hpp"))


#: The emulator stands in a folder of its own, with the same rules.
EMULATOR = (("emulator/lib/", "lib/Emulator/"), ("emulator/include/qcc/", "include/qcc/"),
            ("emulator/tools/", "tools/"), ("emulator/test/", "test/"))


def architectural(path):
    """The path by which the rules know a file."""
    for real, known in EMULATOR:
        if path.startswith(real):
            return known + path[len(real):]
    return path


def real(path):
    """Where a file of lib/ lies that the rules know by `path`."""
    return path.replace("lib/Emulator/", "emulator/lib/", 1) if path.startswith("lib/Emulator/") else path


def source_part(path):
    """(part, whether it must be known) of a source file below the root."""
    if path.startswith("lib/"):
        return part_of(path[len("lib/"):])
    if is_installed(path[len("include/"):]) and path.startswith("include/"):
        return "CAPI/Headers"
    if path.startswith("include/qcc/"):
        return part_of(path[len("include/qcc/"):])
    return None


def check_includes(path, part, lines, report):
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match.group(1)
        if LLVM_INCLUDE.match(included) and part in NO_LLVM:
            report(path, number, f"{part} may not include LLVM or MLIR ({included})")
        if is_installed(included):
            if not part.startswith("CAPI"):
                report(path, number, f"{part} may not include the C API ({included})")
            continue
        if not included.startswith("qcc/"):
            continue
        relative = included[len("qcc/"):]
        target = part_of(relative)
        if target is None or target == part:
            continue
        if target not in PARTS[part]:
            report(path, number, f"{part} may not include {target} ({included})")


def included_folder(root, path, included):
    """The folder below lib/ or include/qcc/ of an included header; None if it is none of qcc's."""
    if included.startswith("qcc/"):
        return os.path.dirname(included[len("qcc/"):])
    # Beside the file, or in a folder above it that the library gives to the compiler.
    folder = os.path.dirname(path)
    while folder.startswith("lib"):
        header = os.path.normpath(os.path.join(folder, included))
        if os.path.isfile(os.path.join(root, real(header))):
            return os.path.relpath(os.path.dirname(header), "lib")
        folder = os.path.dirname(folder)
    return None


def folder_includes(root, path, lines):
    """(path, line, folder of the file, folder of the header) of each include of qcc's headers."""
    top = "lib/" if path.startswith("lib/") else "include/qcc/"
    folder = os.path.dirname(path[len(top):])
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        other = match and included_folder(root, path, match.group(1))
        if other:
            yield path, number, folder, other


def siblings(folder, other):
    """(parent, name, name) of the two folders of one parent that folder and other are in; None if
    one of the two is in the other. In the uppermost folder these are parts."""
    part, other_part = part_of(folder + "/"), part_of(other + "/")
    if part != other_part:
        return "", part, other_part
    names, others = folder.split("/"), other.split("/")
    shared = os.path.commonprefix([names, others])
    depth = len(shared)
    if depth == len(names) or depth == len(others):
        return None
    return "/".join(shared), names[depth], others[depth]


def shortest_path(edges, begin, end):
    """The folders from begin to end by way of edges; None if there is no way."""
    before, queue = {begin: None}, [begin]
    for folder in queue:
        if folder == end:
            path = []
            while folder is not None:
                path.append(folder)
                folder = before[folder]
            return path[::-1]
        for following in sorted(edges.get(folder, {})):
            if following not in before:
                before[following] = folder
                queue.append(following)
    return None


def check_cycles(includes, report):
    """Folders of one parent do not include each other in a circle. `includes` has (path, line,
    folder of the file, folder of the header)."""
    graphs = {}
    for path, line, folder, other in includes:
        pair = siblings(folder, other)
        if pair is not None:
            parent, name, other_name = pair
            edges = graphs.setdefault(parent, {})
            edges.setdefault(name, {}).setdefault(other_name, (path, line))
    for parent, edges in sorted(graphs.items()):
        reported = set()
        for name in sorted(edges):
            for other, (path, line) in sorted(edges[name].items()):
                way = shortest_path(edges, other, name)
                if way is None or reported.issuperset(way):
                    continue
                reported.update(way)
                circle = " -> ".join([name] + way)
                report(path, line, f"folders of {parent or 'lib'} include each other: {circle}")


def check_calls(path, text, report):
    for number, line in enumerate(strip_comments_and_strings(text).split("\n"), 1):
        for pattern, reason in FORBIDDEN:
            match = pattern.search(line)
            if match:
                report(path, number, f"'{match.group(0).strip()}' is {reason}"
                       if not reason.startswith("ends") else
                       f"'{match.group(0).strip()}' {reason}")
                break


def check_words(path, text, report):
    """Code, not comments: no word of x86 outside of its folders."""
    code = re.sub(r"//[^\n]*|/\*(?:.|\n)*?\*/",
                  lambda match: "\n" * match.group(0).count("\n"), text)
    for number, line in enumerate(code.split("\n"), 1):
        match = X86_WORDS.search(line)
        if match and not HOST_CODE.search(line):
            report(path, number, f"'{match.group(0)}' is of x86: ask qcc/Target/Target.h, or "
                   "move this to lib/Target/X86")


def source_files(root):
    for top in ("emulator", "include", "lib", "tools", "test", "utils"):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(
                name for name in folders
                if name not in ("Inputs", "__pycache__") and not name.startswith(".")
            )
            for name in sorted(names):
                if name.endswith(TEXT_SUFFIXES):
                    path = os.path.join(folder, name)
                    yield os.path.relpath(path, root).replace(os.sep, "/")


def check(root):
    """All violations below root, as (path, line, message)."""
    violations = []

    def report(path, line, message):
        violations.append((real(path), line, message))

    includes = []
    for path in source_files(root):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        lines = text.split("\n")
        path = architectural(path)
        is_code = path.startswith(("lib/", "tools/")) and not path.endswith(".def")
        limit = MAX_CODE_LINES if is_code else MAX_LINES
        if text.count("\n") > limit:
            report(path, limit + 1, f"longer than {limit} lines: split it")
        if not path.endswith(SOURCE_SUFFIXES):
            continue
        if path.startswith(PLAIN_TOOLS):
            check_includes(path, "Tools", lines, report)
        if not path.startswith(("lib/", "include/")):
            continue
        check_calls(path, text, report)
        part = source_part(path)
        if part is None or part not in PARTS:
            report(path, 1, "not in a folder of the architecture: "
                   "add it to PARTS in utils/check-layering.py")
            continue
        check_includes(path, part, lines, report)
        if part != "CAPI/Headers":
            includes += folder_includes(root, path, lines)
        if part in X86_FREE:
            check_words(path, text, report)
    check_cycles(includes, report)
    return violations


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default)
    violations = check(root)
    for path, line, message in violations:
        print(f"{path}:{line}: {message}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
