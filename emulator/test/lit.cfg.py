# The lit suite of the emulator's tool. Unit tests are run by the suite below test/Unit of the build folder.
import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.qcc_source_dir, "test"))
import qcc_lit  # noqa: E402  (of the whole project)

config.name = "qcc-emulator"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.qcc_source_dir, "emulator", "test")
config.test_exec_root = os.path.join(config.qcc_build_dir, "emulator", "test")
qcc_lit.configure(config, lit_config)
