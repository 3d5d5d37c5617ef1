import os

import pytest

import program


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "hosts_only(reason): not among the tests of a module that run on devices as well"
    )


def pytest_generate_tests(metafunc):
    if "target" in metafunc.fixturenames:
        arguments = program.targets()
        runs_on_devices = getattr(metafunc.module, "RUNS_ON_DEVICES", False)
        if runs_on_devices and not metafunc.definition.get_closest_marker("hosts_only"):
            arguments += program.device_targets()
        metafunc.parametrize(
            "target", arguments, ids=[a[-1].split("=")[1] for a in arguments]
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
