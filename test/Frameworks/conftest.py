"""Programs of frameworks, which run where utils/install-oracles.sh has installed these."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("QCC_BUILD_DIR") or ROOT / "build" / "release").resolve()
os.environ.setdefault("QCC_LIBRARY_PATH", str(BUILD / "lib"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path[:0] = [str(ROOT / "python"), str(pathlib.Path(__file__).parent)]
