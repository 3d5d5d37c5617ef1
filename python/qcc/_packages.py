# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of others that commands import when they need them, and how these packages are kept quiet."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import sys
from typing import Any, Iterator, List

from .errors import UnsupportedError

#: Packages whose modules have another name.
_PACKAGES = {"google": "protobuf"}


def need(name: str, extra: str = "") -> Any:
    """The module `name` of another package.

    Args:
        name: of the module, such as "onnx.reference".
        extra: the extra of qcc-compiler that installs the package; "" if the package is installed on its own.

    Raises:
        UnsupportedError: the package is missing; the message has the command that installs it.
    """
    first = name.split(".", maxsplit=1)[0]
    package = _PACKAGES.get(first, first)
    try:
        return importlib.import_module(name)
    except ImportError as error:
        remedy = f"'qcc-compiler[{extra}]'" if extra else package
        raise UnsupportedError(f"qcc needs the package {package} ({error}); pip install {remedy}") from None


def hide_telemetry() -> None:
    """Keeps OpenVINO and NNCF from importing openvino_telemetry.

    They report calls to their makers through that package if they find it. The package also writes files into the home
    directory when it starts.
    """
    if "openvino_telemetry" not in sys.modules:
        sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # An import of it fails.


def need_nncf() -> Any:
    """NNCF, which sends nothing to anybody: its telemetry is off before it is imported, also if it does not run in CI."""
    os.environ["NNCF_CI"] = "1"
    hide_telemetry()
    nncf = need("nncf", "quantize")
    nncf.set_log_level(logging.ERROR)
    return nncf


@contextlib.contextmanager
def _modules_of(folder: str) -> Iterator[None]:
    """Lets modules be imported from a folder by their own names, whatever else has these names."""
    names = [name[:-len(".py")] for name in os.listdir(folder) if name.endswith(".py") and name != "__init__.py"]
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def need_ort_quantization() -> Any:
    """The quantizer of ONNX Runtime.

    It imports modules of onnxruntime.transformers as `onnx_model` or `fusion_utils`, which users may have, too.
    """
    folder = os.path.join(os.path.dirname(need("onnxruntime").__file__), "transformers")
    if not os.path.isdir(folder):
        return need("onnxruntime.quantization")
    with _modules_of(folder):
        return need("onnxruntime.quantization")


class _Collector(logging.Handler):
    """Keeps the errors that a library logs, and drops its advice."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: List[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps libraries from printing: their output goes to stderr, their advice in logs nowhere."""
    root, collector = logging.getLogger(), _Collector()
    handlers, root.handlers = root.handlers, [collector]
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        root.handlers = handlers
        for message in collector.messages:
            print(f"qcc: warning: {message}", file=sys.stderr)
