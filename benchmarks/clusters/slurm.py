"""A real Slurm on this machine: a controller, two nodes on loopback and their keys, in a folder; with accounting if
asked for.

Debian's packages slurm-wlm and munge bring it. Its daemons run as the user who starts it and end with it, and so does
whatever runs on it.
"""

import contextlib
import getpass
import importlib.util
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from clusters import accounting
from clusters.accounting import found

COMMANDS = ("sbatch", "srun", "squeue", "scontrol", "scancel", "sacct", "sacctmgr", "sinfo")
PROGRAMS = ("munged", "slurmctld", "slurmd", *COMMANDS)
EXECUTOR = "snakemake_executor_plugin_slurm"
INSTALL = "install Debian's slurm-wlm and munge, and run `make setup EXTRA=slurm`"
NODES = ("n1", "n2")
FAULTY = ("sbatch", "squeue", "sacct", "scancel", "scontrol")
FAULTS = """
if ((RANDOM % 100 < {percent})); then echo "$0: error: Socket timed out on send/recv operation" >&2; exit 1; fi
exec > >(sed -E '{edit}')
"""
CONFIGURATION = """
ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=30
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=30
KillWait=30
SchedulerParameters=sched_interval=1,batch_sched_delay=1,defer
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
GresTypes=gpu
{accounting}
JobAcctGatherType=jobacct_gather/none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={n1} CPUs=4 RealMemory=60000 Gres=gpu:1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={n2} CPUs=4 RealMemory=60000
PartitionName=plain Nodes=n1,n2 Default=YES MaxTime=INFINITE PriorityTier=1 State=UP
PartitionName=urgent Nodes=n1,n2 MaxTime=INFINITE PriorityTier=9 PreemptMode=OFF State=UP
"""


def missing() -> list[str]:
    """Programs that are not here, and Snakemake's executor."""
    executor = [] if importlib.util.find_spec(EXECUTOR) else [EXECUTOR]
    return [name for name in PROGRAMS if not found(name)] + executor


LONGEST = 78  # bytes of a folder's path: sockets of jobs lie below it, and theirs have at most 108


class Slurm:
    """`with Slurm(folder) as slurm`: `slurm.environment` is what its commands need."""

    def __init__(self, folder, accounted: bool = False):
        self.folder, self.accounted, self.daemons = Path(folder).resolve(), accounted, {}
        if (size := len(os.fsencode(self.folder))) > LONGEST:  # else jobs are held for ever
            raise ValueError(f"{self.folder}: found a path of {size} bytes, expected at most {LONGEST}; shorten TMPDIR")
        path = os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]])
        self.environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def __enter__(self):
        try:
            self._start()
        except BaseException:  # who interrupts the start leaves no daemon behind either
            self.__exit__()
            raise
        return self

    def _start(self):
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o755)  # munge trusts no folder that others may write to
        (self.folder / "state").mkdir()
        self._wrap_commands()
        ports = dict(zip(("controller", *NODES, *accounting.PORTS), _free_ports(5), strict=True))
        about = {"folder": self.folder, "host": socket.gethostname().split(".")[0], "user": getpass.getuser()} | ports
        about["accounting"] = accounting.STORAGE[self.accounted].format(**about)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(**about))
        (self.folder / "gres.conf").write_text("NodeName=n1 Name=gpu File=/dev/null\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o400)
        names = {"socket": "munge.socket", "key-file": "munge.key", "log-file": "munged.log", "pid-file": "munged.pid"}
        names |= {"seed-file": "munge.seed"}
        self.run_daemon(
            "munged", "--foreground", "--force", *(f"--{name}={self.folder / own}" for name, own in names.items())
        )
        self.wait_until(lambda: (self.folder / "munge.socket").exists(), "munged")
        if self.accounted:
            accounting.start(self, about)
        self.start_controller()
        for node in NODES:
            self.start_node(node)
        self.wait_until(
            lambda: self.command("sinfo", "-h", "-N", "-o", "%t", "-p", "plain").split() == ["idle"] * 2, "nodes"
        )

    def __exit__(self, *_):
        for name in reversed(list(self.daemons)):
            self.kill(name)
        self._kill_processes()

    def start_controller(self):
        self.run_daemon("slurmctld", "-D")

    def start_accounting(self):
        self.run_daemon("slurmdbd", "-D")

    def start_node(self, node: str):
        self.run_daemon("slurmd", "-D", "-N", node, name=node)

    def kill(self, name: str):
        """End a daemon at once: `slurmctld`, `slurmdbd` or a node."""
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def kill_node(self, node: str):
        """A node dies with all that runs on it."""
        jobs = self.command("squeue", "-h", "-o", "%i", "-w", node).split()
        self.kill(node)
        titles = tuple(f"slurmstepd: [{job}." for job in jobs)
        self._kill_processes(lambda title, words: title.startswith(titles) or f"SLURMD_NODENAME={node}" in words)

    def _kill_processes(self, which=lambda title, words: True):
        """Those that have to do with this Slurm, and whose title and variables are so, until none is left."""
        while ours := [process for process, title, words in self._processes() if which(title, words)]:
            for process in ours:
                with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.1)

    def _processes(self):
        """The number, title and variables of each process that was told where this Slurm is."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it has ended, or is somebody else's
                words = (folder / "environ").read_text(errors="replace").split("\0")
                if f"SLURM_CONF={self.folder}/slurm.conf" in words:
                    yield int(folder.name), (folder / "cmdline").read_text(errors="replace"), words

    def command(self, *words: str) -> str:
        """What a command of Slurm prints."""
        environment = self.environment | {"PATH": os.environ["PATH"]}  # without faults
        found = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        return found.stdout

    def jobs(self) -> list[str]:
        """The ids of jobs that wait or run."""
        return self.command("squeue", "-h", "-o", "%i", "-t", "PD,R,CG").split()

    def running(self) -> list[str]:
        """The ids of jobs that run."""
        return self.command("squeue", "-h", "-o", "%i", "-t", "R").split()

    @contextlib.contextmanager
    def faults(self, percent: int = 0, edit: str = ""):
        """Meanwhile the commands of FAULTY fail so often, and an expression of sed edits what they print."""
        file = self.folder / "faults"
        file.write_text(FAULTS.format(percent=percent, edit=edit))
        try:
            yield
        finally:
            file.unlink()

    def _wrap_commands(self):
        """Jobs submit with a clean environment, so each command brings the way to the configuration. Those that only a
        head calls have the faults that are asked for.
        """
        (self.folder / "bin").mkdir()
        for name in COMMANDS:
            wrapper, faults = self.folder / "bin" / name, self.folder / "faults"
            source = f"test -e {faults} && . {faults}\n" if name in FAULTY else ""
            command = f'SLURM_CONF={self.environment["SLURM_CONF"]} exec {found(name)} "$@"\n'
            wrapper.write_text(f"#!/bin/bash\n{source}{command}")
            wrapper.chmod(0o755)

    def run_daemon(self, program, *words, name=None):
        command = [found(program), *words]
        with (self.folder / f"{name or program}.out").open("ab") as log:
            self.daemons[name or program] = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def wait_until(self, ready, what):
        for _ in range(600):
            if ready():
                return
            time.sleep(0.1)
        told = "\n".join(path.read_text()[-1500:] for path in sorted(self.folder.glob("*.[lo][ou][gt]")))
        raise RuntimeError(f"{what}: not ready after a minute\n{told}")


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
