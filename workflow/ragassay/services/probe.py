"""Is this answer poisoned? A probe looks at the activations of one generation:

    from ragassay import Probe

    probe = Probe.load("results/probes/demo/minilm/poisonedrag_black/demo-lm")
    with probe.watching(model) as watched:
        model.generate(**inputs)
    probe.judge(watched.states())

Watching adds no forward pass. A probe needs nothing but its folder. It refuses another model, another number format of
its weights, another prompt, another site and other layers than those that it was fitted with: its scores would mean
nothing there.
"""

import contextlib
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ragassay.base import card
from ragassay.base.errors import packages, unknown
from ragassay.base.terminal import shown
from ragassay.models import files
from ragassay.models.activations.sites import FIRST_GENERATED, LAST_PROMPT, SITES, watching
from ragassay.models.heads import heads_file
from ragassay.studies.poisoning.probes.folds import kind_of
from ragassay.studies.poisoning.probes.labels import MATCHED
from ragassay.studies.poisoning.probes.samples import ActivationProbe, Part, ProbeError

if TYPE_CHECKING:
    from ragassay.models.activations.sites import Watched

DTYPES = ("float32", "bfloat16", "float16")


def _is_reading(value) -> bool:
    if not isinstance(value, dict) or value.keys() != {"site", "layers", "position"}:
        return False
    layers = value["layers"]
    is_right = card.is_list(layers, int) and min(layers) >= 0 and len(set(layers)) == len(layers)
    return is_right and value["site"] in SITES and value["position"] in (LAST_PROMPT, FIRST_GENERATED)


def _is_identity(value) -> bool:
    return isinstance(value, dict) and card.is_digest(value.get("files")) and value.get("dtype") in DTYPES


def _is_limit(value) -> bool:
    return value is None or card.is_number(value)


def _are_places(value) -> bool:
    return value is None or (card.is_list(value, int) and min(value) >= 0 and len(set(value)) == len(value))


ABOUT = card.Form(
    "probe",
    2,
    {
        "identity": card.expected("what the model is", _is_identity),
        "prompt": card.expected("a digest", card.is_digest), "fpr": card.between(0, 1), "model": str,
        "heads": dict,
    },
    "fit it again",
    ProbeError,
)  # fmt: skip
ENTRY = ABOUT._replace(
    parts={
        "kind": str, "settings": dict, "threshold": card.expected("a number", _is_limit),
        "observed_fpr": card.expected("a number", _is_limit),
        "places": card.expected("places of layers", _are_places),
        "reading": card.expected("site, layers and position", _is_reading),
    }
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What a probe says of an answer."""

    score: float  # higher = more probably poisoned
    poisoned: bool | None  # whether the score is above the threshold; None where no right answer gave one


@dataclass(frozen=True)
class Probe:
    """`load` opens one; `about` is what it was fitted with."""

    folder: Path
    about: dict[str, Any]
    entry: dict[str, Any]
    arrays: dict[str, np.ndarray]

    @classmethod
    def load(cls, folder: str | Path, probe: str = "logistic", condition: str = MATCHED, seed: int = 0) -> Self:
        """One of the probes that were saved in a folder, by what it is and what it was fitted on."""
        folder = Path(folder)
        heads, about = heads_file.read(folder / "heads.safetensors", folder / "card.json")
        name = f"{condition}-{probe}"
        if (name, seed) not in heads:
            names = [f"{kind}.{number}" for kind, number in sorted(heads)]
            raise ProbeError(f"{folder}: {unknown('probe', f'{name}.{seed}', names)}")
        card.check_parts(folder / "card.json", ABOUT, about)
        entry = about["heads"].get(f"{name}.{seed}")
        if not isinstance(entry, dict):
            raise ProbeError(f"{folder}: found {shown(entry)} about the probe {name}.{seed}; fit it again")
        card.check_parts(folder / "card.json", ENTRY, entry)
        opened, layers = cls(folder, about, entry, heads[name, seed]), len(entry["reading"]["layers"])
        if max(entry["places"] or [0]) >= layers:
            raise ProbeError(f"{folder}: found places {entry['places']} of {layers} layers; fit it again")
        with packages(f"{folder}: the probe {name}"):
            wrong = opened.fitted.damage(len(entry["places"] or entry["reading"]["layers"]))
        if wrong:
            raise ProbeError(f"{folder}: {wrong}, so the probe is damaged; fit it again")
        return opened

    @property
    def fitted(self) -> ActivationProbe:
        """The probe itself, as it was fitted."""
        return kind_of(self.entry["kind"], str(self.folder))(self.entry["settings"], self.arrays)

    def watching(self, model: Any, prompt: str | None = None) -> contextlib.AbstractContextManager["Watched"]:
        """Keep what this probe reads while `model`, of the transformers library, generates. `prompt` is the digest of
        the prompt's template (see `ragassay.calls.prompts`), if you have one.
        """
        self.check(files=_digest(model), prompt=prompt, dtype=str(model.dtype).removeprefix("torch."))
        return watching(model, **self.entry["reading"])

    def check(self, files: str, prompt: str | None = None, **reading: Any) -> None:
        """Refuse what the probe was not fitted with: a digest of the model's files, its number format (dtype), a digest
        of the prompt, site, layers.
        """
        identity = {name: self.about["identity"][name] for name in ("files", "dtype")}
        expected = {**identity, "prompt": self.about["prompt"], **self.entry["reading"]}
        given = {"files": files, "prompt": prompt or expected["prompt"], **reading}
        for key, value in given.items():
            if value != expected[key]:
                raise ProbeError(
                    f"{self.folder}: found {key} {value!r}, expected {expected[key]!r}, which the probe was fitted"
                    " with; load the model so, or fit a probe for this model, prompt and reading"
                )

    def scores(self, states: ArrayLike) -> np.ndarray:
        """One score per generation, from generations x layers x width."""
        layers = self.entry["reading"]["layers"]
        try:
            states = np.asarray(states, np.float32)
        except (TypeError, ValueError) as error:
            raise ProbeError(f"{self.folder}: found states that are no numbers ({error!s:.80})") from error
        if states.ndim != 3 or states.shape[1] != len(layers):
            raise ProbeError(
                f"{self.folder}: found states of shape {states.shape}, expected generations x {len(layers)} layers x"
                " width"
            )
        if not np.isfinite(states).all():
            raise ProbeError(f"{self.folder}: found states that are no finite numbers; check the model's weights")
        if self.entry["places"] is not None:
            states = states[:, self.entry["places"]]
        everything = Part(states, np.arange(len(states)), np.zeros(len(states), bool))
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # scores that are not finite are refused below
                scores = self.fitted.score(everything)
        except (ValueError, KeyError, TypeError, RuntimeError) as error:
            raise ProbeError(
                f"{self.folder}: cannot score states of shape {states.shape} ({shown(str(error))}); check the width"
                " of the model, or fit the probe again"
            ) from error
        if not np.isfinite(scores).all():
            raise ProbeError(f"{self.folder}: the probe gave scores that are no finite numbers; fit it again")
        return scores

    def judge(self, states: ArrayLike) -> list[Verdict]:
        """Scores, and whether each is above the threshold that right answers of other documents gave."""
        limit = self.entry["threshold"]
        return [Verdict(score, None if limit is None else score > limit) for score in self.scores(states).tolist()]


def _digest(model) -> str:
    """Of the files of a model that is loaded, from a folder or the hub's cache."""
    name, commit = model.config.name_or_path, getattr(model.config, "_commit_hash", None)
    folder = files.folder(f"the model {name}", name, commit)
    stats = [path.stat() for path in files.read_files(folder)]
    return _digest_of(folder, tuple((stat.st_size, stat.st_mtime_ns) for stat in stats))


@functools.cache
def _digest_of(folder, stamps):
    """Reads gigabytes, so files that did not change are read once, however many generations are watched."""
    return files.digest(folder)
