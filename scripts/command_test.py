"""What scripts that test the command share: a scratch folder, running locus in it, and reporting in TAP."""
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

FOLDER = pathlib.Path(__file__).resolve().parent
LOCUS = os.path.abspath(os.environ.get("LOCUS", "build/locus"))
SCRATCH = tempfile.mkdtemp(prefix="locus-test-")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def path(name):
    return os.path.join(SCRATCH, name)


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)
    return path(name)


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


def attempt(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001: any is a failed case
        return "".join(traceback.format_exception(error))
    return None


def main(set_up):
    """Runs the tests, or those named on the command line. Returns the exit status."""
    wanted = [function for function in TESTS if not sys.argv[1:] or function.__name__ in sys.argv[1:]]
    failed = 0
    try:
        for number, function in enumerate([set_up, *wanted]):
            trouble = attempt(function)
            failed += trouble is not None
            if number or trouble:
                print("not ok" if trouble else "ok", number, "-", function.__name__.replace("_", " "), flush=True)
            if trouble:
                print("#", trouble.strip().replace("\n", "\n# "), flush=True)
            if trouble and not number:
                break
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    return 1 if failed else 0
