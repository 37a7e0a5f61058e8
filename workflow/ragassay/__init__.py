"""The door: `from ragassay import Detector, Gate, Guard, Probe, Results, Screen`. Each is loaded when it is used, so
that `import ragassay` costs nothing; types are in `__init__.pyi`. All but `Results` need the extra `service`."""

from importlib import import_module
from importlib.util import find_spec

DOOR = {
    "Detector": "services.detector",
    "Gate": "services.gate",
    "Guard": "services.guard",
    "Probe": "services.probe",
    "Results": "results",
    "Screen": "services.screen",
}
__all__ = sorted(DOOR)


def __getattr__(name):
    if name not in DOOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}, only {', '.join(__all__)}")
    if name != "Results":
        _check_service(name)
    return getattr(import_module(f"{__name__}.{DOOR[name]}"), name)


def _check_service(name):
    errors = import_module(f"{__name__}.base.errors")
    if missing := [package for package in errors.EXTRAS["service"] if find_spec(package) is None]:
        raise errors.MissingPackage(f"{name} {errors.not_installed(missing[0])}")


def __dir__():
    return __all__
