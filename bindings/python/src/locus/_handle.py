"""The lifetime of an open file: liblocus's handle, and a scratch for each call that is under way."""
from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from typing import Any

from . import _abi
from .errors import closed, failure
from ._library import lib


class Handle:
    """Owns a `struct locus`, which any thread may use and any thread may close: the last call under way frees it.

    Scratches are kept for the next call, the one used last first: it still knows the block of the last address.
    """

    def __init__(self, name: str, pointer: int, memory: object = None) -> None:
        self.name = name
        self._pointer: int | None = pointer
        self._memory = memory  # what the handle borrows its bytes from
        self._idle: list[int] = []
        self._calls = 0
        self._closed = False
        # Reentrant: a signal handler or a finalizer may close this file in the midst of a call.
        self._lock = threading.RLock()

    @property
    def is_closed(self) -> bool:
        return self._closed

    @contextlib.contextmanager
    def call(self) -> Iterator[tuple[int, int]]:
        """The handle and a scratch, both there until the end of the `with`. ClosedError: there is none any more."""
        with self._lock:
            self._calls += 1
            scratch = self._idle.pop() if self._idle else None
        try:
            if self._closed or self._pointer is None:
                raise closed(self.name)
            if scratch is None:
                scratch = self._new_scratch(self._pointer)
            yield self._pointer, scratch
        finally:
            self._end(scratch)

    def run(self, function: Any, *arguments: Any) -> None:
        """Calls a function of liblocus that can fail; its error record is added behind the arguments."""
        error = _abi.locus_error()
        status = function(*arguments, ctypes.byref(error))
        if status:
            raise failure(self.name, status, error)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._free_unused()

    def _new_scratch(self, pointer: int) -> int:
        made = ctypes.c_void_p()
        self.run(lib.locus_scratch_new, pointer, ctypes.byref(made))
        assert made.value is not None
        return made.value

    def _end(self, scratch: int | None) -> None:
        with self._lock:
            if scratch is not None:
                self._idle.append(scratch)
            self._calls -= 1
            self._free_unused()

    def _free_unused(self) -> None:
        pointer, idle = self._pointer, self._idle
        if not self._closed or self._calls or pointer is None:
            return
        # They are given up before they are freed: in between, a signal handler may ask this file, and end up here.
        self._pointer, self._idle = None, []
        for scratch in idle:
            lib.locus_scratch_free(scratch)
        lib.locus_close(pointer)
        self._memory = None
