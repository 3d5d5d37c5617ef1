# googletest executables: each of their cases counts as one test.
import os

import lit.formats

config.name = "qcc-unit"
config.suffixes = []
config.test_source_root = os.path.join(config.qcc_build_dir, "test", "Unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
if config.qcc_sanitize == "address":
    config.environment["ASAN_OPTIONS"] = os.environ.get(
        "ASAN_OPTIONS", "detect_container_overflow=0"
    )
if config.qcc_sanitize == "thread":
    config.environment["TSAN_OPTIONS"] = os.environ.get(
        "TSAN_OPTIONS",
        "suppressions=" + os.path.join(config.qcc_source_dir, "test", "tsan.supp"),
    )
if "QCC_HIDE_FEATURES" in os.environ:
    config.environment["QCC_HIDE_FEATURES"] = os.environ["QCC_HIDE_FEATURES"]
