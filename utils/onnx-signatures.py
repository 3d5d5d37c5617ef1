#!/usr/bin/env python3
"""Writes the signatures of ONNX ops that the importer checks nodes against.

lib/Frontend/ONNX/StandardSignatures.def comes from the schemas of package onnx, MicrosoftSignatures.def from those of
package onnxruntime (the ops of com.microsoft, and those that ONNX Runtime adds to the default domain), and
BlockedSignatures.def from those of com.microsoft.nchwc. A file is
written only if its package is installed. `--check` writes nothing; the exit code is 1 if a file is not up to date.

Usage: onnx-signatures.py [--check] [--folder=DIR]
"""

import argparse
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "lib" / "Frontend" / "ONNX"
FIRST = 9  # the first operator set that is imported
RUNTIME_OPS = {"SimplifiedLayerNormalization"}  # of ONNX Runtime, in the default domain
LETTERS = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
           "int64": "q", "uint64": "Q", "float16": "e", "bfloat16": "g", "float": "f", "double": "d",
           "int4": "n", "uint4": "N", "int2": "m", "uint2": "M", "string": "S"}
ATTRIBUTES = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "F", "INTS": "I",
              "STRINGS": "S", "TENSORS": "T", "GRAPHS": "G", "SPARSE_TENSOR": "p", "SPARSE_TENSORS": "P",
              "TYPE_PROTO": "y", "TYPE_PROTOS": "Y"}
HEAD = """\
//===- {name:-<58}*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// utils/onnx-signatures.py writes this file from the schemas of {package};
// Signatures.h describes the strings.
//
//===----------------------------------------------------------------------===//

"""


def letters(types):
    """The types that have letters, in the order of the letters."""
    names = {t[len("tensor("):-1] for t in types if t.startswith("tensor(")}
    return "".join(letter for name, letter in LETTERS.items() if name in names)


class Formal:
    """An input or output of a schema of either package, which name fields differently."""

    def __init__(self, formal):
        self.name, self.types = formal.name, formal.types
        self.option = str(formal.option).rpartition(".")[2]
        is_onnx = hasattr(formal, "type_str")
        self.type = formal.type_str if is_onnx else formal.typeStr
        self.is_homogeneous = formal.is_homogeneous if is_onnx else formal.isHomogeneous

    def mark(self, minimum):
        """What stands behind the name."""
        if self.option == "Variadic":
            return ("*" if self.is_homogeneous else "~") + str(minimum)
        return "" if self.option == "Single" else "?"


def describe(schema):
    """The strings of a signature: attributes, inputs, outputs, type variables."""
    attributes = [name + ":" + ATTRIBUTES[str(a.type).rpartition(".")[2]] + ("!" if a.required else "")
                  for name, a in sorted(schema.attributes.items())]
    formals = [Formal(formal) for formal in schema.inputs]
    used = [formal.type for formal in formals]
    variables = {}
    inputs = []
    for i, formal in enumerate(formals):
        text = formal.name + formal.mark(max(0, schema.min_input - i))
        is_shared = used.count(formal.type) > 1 and not formal.type.startswith("tensor(")
        if is_shared:
            variables[formal.type] = letters(formal.types)
        inputs.append(text + (":" + formal.type if is_shared else "=" + letters(formal.types)))
    outputs = [formal.name + formal.mark(max(0, schema.min_output - i))
               for i, formal in enumerate(map(Formal, schema.outputs))]
    return [" ".join(attributes), " ".join(inputs), " ".join(outputs),
            " ".join(f"{name}={types}" for name, types in variables.items())]


def entry(op, since, strings):
    lines = [f'SIGNATURE("{op}", {since},']
    for i, text in enumerate(strings):
        end = ")" if i + 1 == len(strings) else ","
        # Only one string per line where they do not fit.
        piece = f'"{text}"{end}'
        if len(lines[-1]) + 1 + len(piece) <= 80:
            lines[-1] += " " + piece
            continue
        while len(piece) > 70:
            at = piece.rfind(" ", 0, 68)
            lines.append(f'          {piece[:at + 1]}"')
            piece = '"' + piece[at + 1:]
        lines.append("          " + piece)
    return "\n".join(lines)


def write(schemas, package, name):
    """The text of a file: a signature for each version of an op that differs from the one before."""
    history = {}
    for schema in schemas:
        # A deprecated version without inputs is only a note that the op is gone.
        if not schema.deprecated or schema.inputs:
            history.setdefault(schema.name, {})[schema.since_version] = describe(schema)
    text = HEAD.format(name=name + " - Signatures of ops ", package=package)
    for op in sorted(history):
        versions = sorted(history[op])
        versions = [v for v in versions if v <= FIRST][-1:] + [v for v in versions if v > FIRST]
        last = None
        for version in versions:
            if history[op][version] != last:
                last = history[op][version]
                text += entry(op, version, last) + "\n"
    return text


def standard():
    import onnx.defs
    schemas = [schema for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""]
    return write(schemas, "onnx", "StandardSignatures.def")


def microsoft():
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema
    schemas = [schema for schema in get_all_operator_schema()
               if schema.domain == "com.microsoft" or (schema.domain == "" and schema.name in RUNTIME_OPS)]
    return write(schemas, "onnxruntime", "MicrosoftSignatures.def")


def blocked():
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema
    schemas = [schema for schema in get_all_operator_schema() if schema.domain == "com.microsoft.nchwc"]
    return write(schemas, "onnxruntime", "BlockedSignatures.def")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare the files and write nothing")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    options = parser.parse_args()
    code = 0
    for name, make in (("StandardSignatures.def", standard), ("MicrosoftSignatures.def", microsoft),
                       ("BlockedSignatures.def", blocked)):
        try:
            text = make()
        except ImportError as error:
            print(f"{name}: not compared, {error}" if options.check else f"{name}: not written, {error}")
            continue
        path = options.folder / name
        if not options.check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{name}: not up to date; run utils/onnx-signatures.py")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
