"""What scripts that test the command share: a scratch folder, running locus in it, and reporting in TAP."""
import atexit
import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

from chosen_tests import chosen

FOLDER = pathlib.Path(__file__).resolve().parent
LOCUS = os.path.abspath(os.environ.get("LOCUS", "build/locus"))
os.environ["LC_ALL"] = "C"  # what other tools say is read, as they say it in English
SCRATCH = tempfile.mkdtemp(prefix="locus-test-")
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def test_in_folder(function):
    """A test that has an empty folder for itself, and works in it."""
    @functools.wraps(function)
    def in_folder():
        before = os.getcwd()
        with tempfile.TemporaryDirectory(dir=SCRATCH, ignore_cleanup_errors=True) as folder:
            os.chdir(folder)
            try:
                function()
            finally:
                os.chdir(before)
    return test(in_folder)


def path(name):
    return os.path.join(SCRATCH, name)


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)


class Skipped(Exception):
    """What a test raises where it cannot be made here, or the set-up for all of them; the text says why."""


def need(*programs):
    for program in programs:
        if not program or not shutil.which(program):
            raise Skipped(f"{program or 'a program'} is not here")


def check(holds, *what):
    if not holds:
        raise AssertionError(" ".join(str(part) for part in what))


def run(*command, code=0, **options):
    """Runs any program in the scratch folder, and holds its exit code against the one that is expected; None: any."""
    done = subprocess.run(command, capture_output=True, timeout=300, **{"cwd": SCRATCH, **options})
    assert code is None or done.returncode == code, f"{command}: exit {done.returncode}: {done.stderr[-2000:]}"
    return done


class Ran:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def locus(*arguments, code=0, **options):
    """Runs locus in the scratch folder and holds its exit code against the one that is expected; None: any."""
    options.setdefault("timeout", 300)
    done = subprocess.run([LOCUS, *arguments], capture_output=True, cwd=SCRATCH, **options)
    ran = Ran(done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
              done.stderr.decode("utf-8", "surrogateescape"))
    assert code is None or ran.code == code, f"locus {' '.join(arguments)}: exit {ran.code}, not {code}: {ran.out}{ran.err}"
    return ran


def one_message(ran, *parts):
    """Exactly one line on standard error, in the one form, that says each of the parts."""
    assert ran.err.endswith("\n") and ran.err.count("\n") == 1, f"not one line: {ran.err!r}"
    assert ran.err.startswith("locus: "), ran.err
    for part in parts:
        assert part in ran.err, f"{part!r} is not in {ran.err!r}"


def load(name):
    """Another script of this folder, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(FOLDER / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def attempt(number, function):
    """Runs a test and reports on it; 0 is the set-up, of which success is not told. False: it has failed; None: skipped."""
    name = f"{number} - {function.__name__.replace('_', ' ')}"
    try:
        function()
    except Skipped as reason:
        print(f"ok {name} # SKIP {reason}", flush=True)
        return None
    except Exception:  # noqa: BLE001: any is a failed case
        trouble = traceback.format_exc().strip().replace("\n", "\n# ")
        print(f"not ok {name}\n# {trouble}", flush=True)
        return False
    if number:
        print(f"ok {name}", flush=True)
    return True


def run_tests(tests, set_up=None):
    """Runs the tests, or none where the set-up fails or is skipped. Returns the exit status."""
    set_up_passed = attempt(0, set_up) if set_up else True
    passed = [attempt(number, test) for number, test in enumerate(tests if set_up_passed else [], 1)]
    return 1 if False in [set_up_passed, *passed] else 0


def main(set_up=None):
    """Runs what was marked as a test, or those of it that are named on the command line. Returns the exit status."""
    return run_tests(chosen(TESTS, sys.argv[1:]), set_up)
