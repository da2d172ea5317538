"""A store: a directory with a .locus file for each build-id, as `locus convert --store` fills it."""
from __future__ import annotations

import os
from collections.abc import Iterator

from .errors import misused
from .file import File


class Store:
    """A directory that has the .locus file of each program at buildid/BUILD-ID/locus.

    A build-id is its bytes, or a text of hexadecimal digits in either case.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)

    def path_of(self, build_id: str | bytes) -> str:
        """Where the program's file is, or would be. UsageError: that is no build-id."""
        return os.path.join(self.path, "buildid", self._bytes_of(build_id).hex(), "locus")

    def open(self, build_id: str | bytes, *, memory_max: int = 0) -> File:
        """Opens the program's file; see File. ReadError, with ENOENT as errno: the store has none. LocusError: it is another's."""
        return File.in_store(self.path, self._bytes_of(build_id), name=self.path_of(build_id), memory_max=memory_max)

    def __contains__(self, build_id: str | bytes) -> bool:
        return os.path.isfile(self.path_of(build_id))

    def __iter__(self) -> Iterator[str]:
        """The build-ids in the store, in hexadecimal, in no order."""
        try:
            entries = os.scandir(os.path.join(self.path, "buildid"))
        except FileNotFoundError:
            return
        with entries:
            for entry in entries:
                if os.path.isfile(os.path.join(entry.path, "locus")):
                    yield entry.name

    def _bytes_of(self, build_id: str | bytes) -> bytes:
        """UsageError: that is no build-id, which has 1 to 64 bytes."""
        try:
            found = build_id if isinstance(build_id, bytes) else bytes.fromhex(build_id)
        except ValueError:
            found = b""
        if not 1 <= len(found) <= 64 or not isinstance(build_id, bytes) and 2 * len(found) != len(build_id):
            raise misused(self.path, f"{build_id!r} is no build-id")
        return found
