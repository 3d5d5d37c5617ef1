# The lit suite of qcc: how test files become commands, and what this host can run.
# Unit and Examples are suites of their own, found below this one.
import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.qcc_source_dir, "test"))
import qcc_lit  # noqa: E402  (beside this file)

config.name = "qcc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Python", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.qcc_source_dir, "test")
config.test_exec_root = os.path.join(config.qcc_build_dir, "test")
qcc_lit.configure(config, lit_config)
if config.qcc_assertions == "ON":
    config.available_features.add("assertions")
if config.qcc_build_compiler in ("ON", "TRUE", "1"):
    config.available_features.add("compiler")
