"""Python runs this first in every job. Until the stage runs, Ctrl-C ends a job at once and without a traceback: nothing
has begun yet, and imports take seconds. From then on `ragassay.base.stage` handles it. In a replay, jobs have no
network. The Snakemake of a submission imports pandas when somebody needs it: it loads the executor for Slurm, which
imports pandas for a report, and no job draws that.
"""

import importlib.util
import os
import signal
import sys

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

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if name != "pandas":
            return None
        sys.meta_path.remove(_Later)
        spec = importlib.util.find_spec(name)
        spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec


if "snakemake" in sys.orig_argv[:4]:
    sys.meta_path.insert(0, _Later)
