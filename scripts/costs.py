"""What a run of locus costs, and whether that is too much, on machines of any speed.

Seconds depend on the machine, and on what else its host does. So where a run takes longer than its bound, the bound grows by as
much as the machine is slower for a fixed piece of work right then. What is too slow for that three times is too slow.
"""
import os
import pathlib
import random
import resource
import subprocess
import time

CPU_SECONDS, MEMORY = 2, 256 << 20
WORK_SECONDS = 0.09  # what fixed_work takes on a machine on which the bound is as it stands
RUNS = 3


def is_checked(locus):
    """Whether the program has sanitizers, or counts its lines: it takes more time, memory and files than others."""
    program = pathlib.Path(locus).read_bytes()
    return any(name in program for name in (b"__asan_", b"__tsan_", b"__gcov_"))


def fixed_work():
    """The CPU seconds of sorting and looking up numbers: memory out of order, and branches that cannot be foretold."""
    numbers = random.Random(1)
    start = time.process_time()
    keys = [numbers.getrandbits(32) for _ in range(100000)]
    places = {key: place for place, key in enumerate(sorted(keys))}
    sum(places[key] for key in keys)
    return time.process_time() - start


class Run:
    """One run of a command: exit `code` (negative: a signal), `errors` on stderr, CPU `seconds`, peak `mebibytes`."""

    def __init__(self, command, checked):
        # What runs away is ended; what is only too slow is judged behind it.
        most = (20 if checked else 10) * CPU_SECONDS
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1)))
        self.errors = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        self.seconds = usage.ru_utime + usage.ru_stime
        self.mebibytes = usage.ru_maxrss // 1024


def run_and_judge(command, checked):
    """A Run of `command`, and what is wrong with its costs, or None."""
    for _ in range(RUNS):
        run = Run(command, checked)
        if checked:
            return run, None
        if run.mebibytes << 20 > MEMORY:
            return run, "took %d MiB" % run.mebibytes
        if run.seconds <= CPU_SECONDS:
            return run, None
        slowness = max(1, fixed_work() / WORK_SECONDS)
        if run.seconds <= CPU_SECONDS * slowness:
            return run, None
    return run, "took %.1f s, and %.1f s are allowed on this machine" % (run.seconds, CPU_SECONDS * slowness)
