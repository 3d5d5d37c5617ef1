"""The float64 reference of the package (python/qcc/verify/_float64.py), without the libraries that the package loads."""

import importlib.util
import pathlib

_PATH = pathlib.Path(__file__).resolve().parents[2] / "python" / "qcc" / "verify" / "_float64.py"
_SPEC = importlib.util.spec_from_file_location("qcc_float64", _PATH)
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)

Exact, rounds = _MODULE.Exact, _MODULE.rounds
