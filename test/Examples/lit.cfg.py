# The programs of docs/examples: each RUN line is a command a user can copy.
import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.qcc_source_dir, "test"))
import qcc_lit  # noqa: E402

config.name = "qcc-examples"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.join(config.qcc_source_dir, "docs", "examples")
config.test_exec_root = os.path.join(config.qcc_build_dir, "test", "Examples")
qcc_lit.configure(config, lit_config)
