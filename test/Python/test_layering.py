"""utils/check-layering.py finds what it should, and only that."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _load():
    spec = importlib.util.spec_from_file_location(
        "check_layering", ROOT / "utils" / "check-layering.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


layering = _load()


def violations(tmp_path, path, text):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return [message for _, _, message in layering.check(str(tmp_path))]


@pytest.mark.parametrize(
    "path, included",
    [
        ("lib/Runtime/Pool.cpp", "llvm/ADT/SmallVector.h"),
        ("include/qcc/Runtime/Pool.h", "mlir/IR/Value.h"),
        ("lib/Runtime/Pool.cpp", "qcc/Support/Float.h"),
        ("lib/Support/Npy.cpp", "llvm/ADT/StringRef.h"),
        ("lib/Support/Npy.cpp", "qcc/Runtime/ThreadPool.h"),
        ("emulator/lib/Ptx.cpp", "mlir/IR/Value.h"),
        ("lib/ONNXModel/Model.cpp", "mlir/IR/Value.h"),
        ("lib/Dialect/QNN/IR/Ops.cpp", "qcc/Transforms/Passes.h"),
        ("lib/Reference/Interpreter.cpp", "qcc/Transforms/Passes.h"),
        ("lib/Reference/Interpreter.cpp", "qcc/Conversion/Passes.h"),
        ("lib/Frontend/MLIR/Import.cpp", "qcc/Conversion/Passes.h"),
        ("lib/Conversion/QNNToLinalg/Add.cpp", "qcc/Transforms/Passes.h"),
        ("lib/Transforms/Pack.cpp", "qcc/Target/X86/Passes.h"),
        ("lib/Transforms/Pack.cpp", "qcc/KnownTargets/KnownTargets.h"),
        ("lib/Pipelines/Pipelines.cpp", "qcc/Target/X86/X86Target.h"),
        ("lib/Pipelines/Pipelines.cpp", "qcc/Target/X86/Passes.h"),
        ("lib/Target/X86/Emit/Loop.cpp", "qcc/Target/NVPTX/Passes.h"),
        ("lib/Target/X86/Emit/Loop.cpp", "qcc/Pipelines/Pipelines.h"),
        ("lib/Pipelines/Pipelines.cpp", "qcc/CodeGen/Artifact.h"),
        ("lib/CodeGen/EmitObject.cpp", "qcc/Compiler/Compiler.h"),
        ("lib/Compiler/Compiler.cpp", "qcc/Runtime/Module.h"),
        ("lib/Compiler/Compiler.cpp", "qcc-c/Runtime.h"),
        ("lib/Compiler/Compiler.cpp", "qcc/qcc.hpp"),
        ("lib/CAPI/Runtime/Module.cpp", "qcc/Compiler/Compiler.h"),
        ("lib/CAPI/Runtime/Module.cpp", "llvm/ADT/StringRef.h"),
        ("include/qcc-c/Runtime.h", "qcc/Runtime/Module.h"),
        ("include/qcc-c/Runtime.h", "qcc/Base/Status.h"),
        ("include/qcc/Base/Status.h", "qcc/Artifact/ABI.h"),
        ("lib/CodeGen/EmitObject.cpp", "qcc/Runtime/Module.h"),
        ("include/qcc/runtime.hpp", "qcc/Runtime/Module.h"),
        ("include/qcc/Dialect/Kernel/IR/Kernel.h", "qcc/Reference/Interpreter.h"),
        ("tools/common/Run.cpp", "llvm/ADT/StringRef.h"),
        ("tools/qcc-run/qcc-run.cpp", "qcc/Compiler/Compiler.h"),
    ],
)
def test_wrong_direction(tmp_path, path, included):
    (message,) = violations(tmp_path, path, f'#include "{included}"\n')
    assert "may not include" in message and included in message


@pytest.mark.parametrize(
    "path, included",
    [
        ("lib/Transforms/Pack.cpp", "qcc/Dialect/QNN/IR/QNN.h"),
        ("lib/Transforms/Pack.cpp", "qcc/Target/Target.h"),
        ("lib/Target/X86/Emit/Loop.cpp", "qcc/Transforms/Passes.h"),
        ("lib/KnownTargets/KnownTargets.cpp", "qcc/Target/X86/X86Target.h"),
        ("lib/CodeGen/EmitObject.cpp", "qcc/Artifact/ABI.h"),
        ("lib/Support/Npy.cpp", "qcc/Base/Status.h"),
        ("lib/Runtime/Pool.cpp", "qcc/Artifact/ABI.h"),
        ("lib/CAPI/Compiler/Compile.cpp", "qcc/Runtime/Device.h"),
        ("lib/Runtime/Pool.cpp", "qcc/Runtime/Pool.h"),
        ("lib/CAPI/Runtime/Module.cpp", "qcc-c/Runtime.h"),
        ("lib/CAPI/Runtime/Module.cpp", "qcc/Runtime/Module.h"),
        ("lib/CAPI/Compiler/Compile.cpp", "qcc/Compiler/Compiler.h"),
        ("lib/CAPI/Compiler/Compile.cpp", "llvm/Support/Error.h"),
        ("include/qcc/qcc.hpp", "qcc-c/Compiler.h"),
        ("tools/qcc/qcc.cpp", "qcc/Compiler/Compiler.h"),
        ("tools/common/Run.cpp", "qcc/Runtime/Context.h"),
        ("tools/common/Run.cpp", "qcc/Support/Json.h"),
    ],
)
def test_right_direction(tmp_path, path, included):
    assert violations(tmp_path, path, f'#include "{included}"\n') == []


@pytest.mark.parametrize(
    "line",
    [
        'static llvm::cl::opt<bool> flag("flag");',
        'llvm::outs() << "x";',
        'errs() << "x";',
        'std::cout << "x";',
        'std::cerr << "x";',
        'printf("x");',
        'std::printf("x");',
        'fprintf(stderr, "x");',
        "std::exit(1);",
        "  exit(1);",
        "::exit(1);",
        "abort();",
        'llvm::report_fatal_error("x");',
    ],
)
def test_forbidden_calls(tmp_path, line):
    (message,) = violations(tmp_path, "lib/Compiler/A.cpp", f"void f() {{\n{line}\n}}\n")
    assert "options" in message or "printing" in message or "ends the process" in message


@pytest.mark.parametrize(
    "line",
    [
        "// it never calls exit() or printf()",
        '/* std::cout\n << */ auto s = "llvm::errs()";',
        "loop.exit(1);",
        "onExit(1);",
        "snprintf(buffer, size, format);",
        "op.print(stream);",
        "fprintf(file, format);",
    ],
)
def test_allowed_calls(tmp_path, line):
    assert violations(tmp_path, "lib/Compiler/A.cpp", f"void f() {{\n{line}\n}}\n") == []


def test_tools_may_print(tmp_path):
    assert violations(tmp_path, "tools/qcc/A.cpp", 'int main() { puts("x"); }\n') == []


@pytest.mark.parametrize(
    "path, limit",
    [
        ("lib/Compiler/A.cpp", 500),
        ("tools/qcc/A.cpp", 500),
        ("lib/Compiler/A.def", 800),
        ("include/qcc/Compiler/A.h", 800),
        ("test/Driver/a.test", 800),
    ],
)
def test_long_file(tmp_path, path, limit):
    assert violations(tmp_path / "a", path, "int a;\n" * limit) == []
    (message,) = violations(tmp_path / "b", path, "int a;\n" * (limit + 1))
    assert f"longer than {limit} lines" in message


def test_parts_name_parts():
    """No part names a single header."""
    for part, allowed in layering.PARTS.items():
        assert allowed <= layering.PARTS.keys(), part


def write_includes(tmp_path, includes):
    for path, included in includes:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as stream:
            stream.write(f'#include "{included}"\n' if included else "")
    return [message for _, _, message in layering.check(str(tmp_path))]


def test_cycle_of_parts(tmp_path, monkeypatch):
    monkeypatch.setitem(layering.PARTS, "Support", {"Emulator"})
    (message,) = write_includes(
        tmp_path,
        [
            ("lib/Support/Npy.cpp", "qcc/Emulator/Emulator.h"),
            ("emulator/include/qcc/Emulator/Emulator.h", "qcc/Support/Json.h"),
        ],
    )
    assert "folders of lib include each other: Emulator -> Support -> Emulator" in message


@pytest.mark.parametrize("header", ["Instructions/Rows.h", "../Instructions/Rows.h"])
def test_cycle_of_folders(tmp_path, header):
    (message,) = write_includes(
        tmp_path,
        [
            ("emulator/lib/PTX/Table.cpp", header),
            ("emulator/lib/Instructions/Rows.h", "Machine/Warp.h"),
            ("emulator/lib/Machine/Warp.h", "PTX/Table.h"),
            ("emulator/lib/PTX/Table.h", ""),
        ],
    )
    assert "folders of Emulator include each other" in message
    assert "Machine -> PTX -> Instructions" in message


def test_no_cycle(tmp_path):
    """A folder and the folder around it may include each other, and a backend what needs Target."""
    assert not write_includes(
        tmp_path,
        [
            ("emulator/lib/Emulator.cpp", "PTX/Parser.h"),
            ("emulator/lib/PTX/Parser.h", "qcc/Emulator/Emulator.h"),
            ("lib/Target/X86/Loop.cpp", "qcc/Transforms/Passes.h"),
            ("include/qcc/Transforms/Passes.h", "qcc/Target/Target.h"),
        ],
    )


def test_unknown_folder(tmp_path):
    (message,) = violations(tmp_path, "lib/Misc/A.cpp", "int a;\n")
    assert "not in a folder of the architecture" in message


@pytest.mark.parametrize(
    "line",
    [
        'if (name == "avx512vnni")',
        "const char *cpu = \"cascadelake\";",
        "registry.insert<amx::AMXDialect>();",
        'triple = "x86_64-unknown-linux-gnu";',
    ],
)
def test_words_of_x86(tmp_path, line):
    (message,) = violations(tmp_path / "a", "lib/Transforms/Pack.cpp", line + "\n")
    assert "is of x86" in message
    assert not violations(tmp_path / "b", "lib/Transforms/Pack.cpp", "// " + line + "\n")
    assert not violations(tmp_path / "c", "lib/Target/X86/Pack.cpp", line + "\n")
    assert not violations(tmp_path / "d", "lib/Runtime/Pack.cpp", line + "\n")
