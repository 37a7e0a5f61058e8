"""A detached signature over SHA256SUMS, by a key of ssh. Without one, digests only show accidents."""

import shutil
import subprocess
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.release.verification.checks import NAMESPACE
from ragassay.release.verification.release_folder import SIGNATURE, SUMS


class NotSigned(AssayError):
    """The key cannot sign."""


def sign(folder: Path, key: str) -> None:
    """Write SHA256SUMS.sig; ssh-keygen may ask for the key's passphrase."""
    if not shutil.which("ssh-keygen"):
        raise NotSigned("signature: found no ssh-keygen on the PATH; install OpenSSH, or give no key")
    command = ["ssh-keygen", "-Y", "sign", "-f", key, "-n", NAMESPACE, str(folder / SUMS)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not (folder / SIGNATURE).is_file():
        told = " ".join(done.stderr.split())[:160]
        raise NotSigned(f"{key}: found no key that signs ({told}), expected a private key such as ~/.ssh/id_ed25519")
