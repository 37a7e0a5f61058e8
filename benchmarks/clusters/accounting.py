"""Accounting of a Slurm on this machine: slurmdbd and the database that it writes to, of Debian's packages slurmdbd and
mariadb-server-core.
"""

import os
import shutil
import subprocess

PROGRAMS = ("slurmdbd", "mariadbd", "mariadb-install-db", "my_print_defaults")
PACKAGES = "slurmdbd, mariadb-server-core and mariadb-client-core"
PORTS = ("database", "accounting_port")
STORAGE = {  # with accounting, the controller may forget soon
    False: """
AccountingStorageType=accounting_storage/none
MinJobAge=600
""",
    True: """
MinJobAge=5
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={accounting_port}
AccountingStoragePass={folder}/munge.socket
""",
}
CONFIGURATION = """
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={accounting_port}
SlurmUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
PidFile={folder}/slurmdbd.pid
LogFile={folder}/slurmdbd.log
"""
RIGHTS = """
CREATE DATABASE slurm;
CREATE USER slurm@localhost IDENTIFIED BY 'slurm';
GRANT ALL ON slurm.* TO slurm@localhost;
"""


def missing() -> list[str]:
    """Programs that are not here."""
    return [name for name in PROGRAMS if not found(name)]


def found(program):
    return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def start(slurm, about: dict) -> None:
    """Before the controller, which registers there."""
    data, socket, rights = (slurm.folder / name for name in ("database", "database.socket", "rights.sql"))
    user = f"--user={about['user']}"
    made = [found("mariadb-install-db"), "--no-defaults", user, f"--datadir={data}", "--skip-test-db"]
    subprocess.run(made, check=True, capture_output=True)
    rights.write_text(RIGHTS)
    places = [f"--datadir={data}", f"--socket={socket}", f"--port={about['database']}", f"--init-file={rights}"]
    slurm.run_daemon("mariadbd", "--no-defaults", user, "--bind-address=127.0.0.1", "--skip-log-bin", *places)
    slurm.wait_until(socket.exists, "mariadbd")
    configuration = slurm.folder / "slurmdbd.conf"
    configuration.touch(mode=0o600)  # slurmdbd reads no other
    configuration.write_text(CONFIGURATION.format(**about))
    slurm.start_accounting()
    slurm.wait_until(lambda: "trial" in slurm.command("sacctmgr", "-i", "add", "cluster", "trial"), "slurmdbd")
    slurm.command("sacctmgr", "-i", "add", "account", "lab")
    slurm.command("sacctmgr", "-i", "add", "user", about["user"], "account=lab", "defaultaccount=lab")
