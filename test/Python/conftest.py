import os
import sys

import pytest

import program

# A warning of the package that a test leaves to pytest reaches the process that reports, which looks its class up.
sys.path.append(str(program.ROOT / "python"))
os.environ.setdefault("QCC_LIBRARY_PATH", str(program.build_dir().resolve() / "lib"))


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: wants the machine for itself, and is run after all others")


#: Files of few tests that take minutes.
LONG_FILES = ("test_wheels", "test_device_examples", "test_onnx_networks", "test_device_configs", "test_onnx_writers",
              "test_onnx_memory", "test_convolutions", "test_examples", "test_ops")


def pytest_collection_modifyitems(items):
    """Long files come first, so that no process is left alone with one of them at the end."""
    items.sort(key=lambda item: item.path.stem not in LONG_FILES)


def pytest_generate_tests(metafunc):
    if "target" in metafunc.fixturenames:
        arguments = program.targets()
        for chip in getattr(metafunc.module, "CHIPS", ()):
            seeds = getattr(metafunc.module, "SEEDS", 1)
            arguments.append([f"--mcpu={chip}", "--target=cuda", f"--seeds={seeds}"])
        metafunc.parametrize(
            "target", arguments, ids=[a[0].split("=")[1] for a in arguments]
        )
    if "cpu" in metafunc.fixturenames:
        metafunc.parametrize("cpu", program.host_cpus())


@pytest.fixture(autouse=True)
def driver(request):
    """A missing qcc is a failure where a build was named, otherwise a skip."""
    if not {"target", "cpu", "compiler"} & set(request.fixturenames):
        return
    if not program.qcc().exists():
        message = f"{program.qcc()} does not exist"
        if "QCC_BUILD_DIR" in os.environ:
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture
def compiler():
    """The program qcc, where a test runs it once, on the CPU that there is."""
    return str(program.qcc())
