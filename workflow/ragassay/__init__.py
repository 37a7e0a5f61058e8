"""The door: `from ragassay import Detector, Gate, Guard, Probe, Results, Screen`. Each is loaded when it is used, so
that `import ragassay` costs nothing; types are in `__init__.pyi`."""

from importlib import import_module

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
    return getattr(import_module(f"{__name__}.{DOOR[name]}"), name)


def __dir__():
    return __all__
