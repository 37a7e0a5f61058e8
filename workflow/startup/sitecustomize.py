"""Python runs this first in every job. Until the stage runs, Ctrl-C ends a job at once and without a traceback: nothing
has begun yet, and imports take seconds. From then on `ragassay.base.stage` handles it. In a replay, jobs have no
network. The Snakemake of a submission imports pandas when somebody needs it: it loads the executor for Slurm, which
imports pandas for a report, and no job draws that.
"""

import importlib.util
import os
import signal
import sys
import threading
import types

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as behind nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _refuse(event, arguments):
    """Only sockets between processes of this machine may be used, none with an address."""
    addressed = event in ("socket.connect", "socket.sendto", "socket.bind") and isinstance(arguments[1], tuple)
    if addressed or event == "socket.getaddrinfo":
        raise OSError(f"found a use of the network ({event}), expected none in a replay")


if os.environ.get("RAGASSAY_NO_NETWORK"):
    sys.addaudithook(_refuse)


class _Later:
    """The next import of pandas loads it at its first use."""

    @classmethod
    def find_spec(cls, name, _path=None, _target=None):
        if name != "pandas":
            return None
        sys.meta_path.remove(cls)
        spec = importlib.util.find_spec(name)
        cls.loader, spec.loader = spec.loader, cls
        return spec

    create_module = staticmethod(lambda spec: None)

    @staticmethod
    def exec_module(module):
        module.__class__ = _Unloaded


class _Unloaded(types.ModuleType):
    """Threads wait for the first that uses it. With `importlib.util.LazyLoader` of Python 3.11.7 they do not."""

    lock, is_loading = threading.RLock(), False

    def __getattribute__(self, name):
        with _Unloaded.lock:
            if not _Unloaded.is_loading:
                _Unloaded.is_loading = True
                spec = types.ModuleType.__getattribute__(self, "__spec__")
                spec.loader = self.__loader__ = _Later.loader
                spec.loader.exec_module(self)
                self.__class__ = types.ModuleType
            return types.ModuleType.__getattribute__(self, name)


if "snakemake" in sys.orig_argv[:4]:
    sys.meta_path.insert(0, _Later)
