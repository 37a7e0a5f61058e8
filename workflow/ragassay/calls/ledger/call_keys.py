"""Which call of a job had which key. A key is a hash over the rendered prompt, so nobody can make it without the
texts that the prompt shows. A job writes its keys down in the order of its items; where such a list lies in a ledger
as `given.txt`, as in a replay, keys are taken from there."""

from pathlib import Path

from ragassay.base.atomic import write_text

WRITTEN, GIVEN = "asked.txt", "given.txt"


class CallKeys:
    """The keys of a job's calls, beside its ledger. `first` is the number of the first item; what an earlier round of
    the job asked stands before it.
    """

    def __init__(self, folder):
        self.folder, self.first, self.keys = Path(folder), 0, {}  # (item, call) -> key
        self.given = read(self.folder / GIVEN)

    def key(self, item: int, call: int, key: str) -> str:
        """The key of this call, which is `key` unless another one is given."""
        place = item + self.first, call
        self.keys[place] = key = self.given.get(place, key)
        return key

    def write(self) -> None:
        """Write the list, unless it is there already."""
        written = read(self.folder / WRITTEN)
        keys = {place: key for place, key in written.items() if place[0] < self.first} | self.keys
        if keys != written:
            write_list(self.folder / WRITTEN, keys)


def write_list(path, keys: dict[tuple[int, int], str]) -> None:
    write_text(path, "".join(f"{item} {call} {key}\n" for (item, call), key in sorted(keys.items())))


def read(path) -> dict[tuple[int, int], str]:
    """(item, call) -> key; empty if there is no list."""
    if not Path(path).is_file():
        return {}
    lines = (line.split(" ") for line in Path(path).read_text().splitlines())
    return {(int(item), int(call)): key for item, call, key in lines}
