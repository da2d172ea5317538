"""Small programs of every kind that the converter reads in another way, for tests that let memory run out."""
import gzip
import lzma
import os
import subprocess

from dwarfgen import zstd_stored

CC = os.environ.get("CC", "gcc")
SOURCE = """
static inline int square(int x) { return x * x; }
static inline int sum(int a, int b) { return square(a) + (b ? sum(b, 0) : 0); }
int entry(int a, int b) { int total = 0; for (int i = 0; i < a; i++) total += sum(i, b); return total; }
int main(int argc, char **argv) { return entry(argc, argv[0][0]); }
"""
# Its types are in units of their own, and its units refer to each other after link-time optimisation.
TILL = """
namespace shop {
template <class T> struct Till { T sum; T add(T x); static inline T twice(T x) { return x + x; } };
template <class T> T Till<T>::add(T x) { return sum += twice(x); }
static inline int total(Till<int> &till, int x) { return till.add(x) + till.add(x + 1); }
}
"""
CPP = {"till.cpp": "int sell(shop::Till<int> &till, int x) { return shop::total(till, x) + 1; }",
       "main.cpp": "int sell(shop::Till<int> &, int); int main(int argc, char **) { shop::Till<int> till = {0}; "
                   "return sell(till, argc) + shop::total(till, argc); }"}
# Calls of another library, functions in several ranges, and so many of them that what they are kept in has to grow.
CALLS = """#include <stdio.h>
#include <stdlib.h>
static inline int square(int x) { return x * x; }
__attribute__((noinline)) int check(int x) { if (x > 1000000) { puts("large"); abort(); } return square(x) + 1; }
"""
MANY = 120


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def c_programs(folder):
    (folder / "a.c").write_text(SOURCE)
    for file, options in (("linked", ["-gz=zlib"]), ("a.o", ["-c"]), ("old", ["-gdwarf-3"])):
        run(folder, CC, "-g", "-O2", *options, "-o", file, "a.c")
    run(folder, "ar", "rc", "library.a", "a.o", "a.c")
    run(folder, "ar", "rcT", "thin.a", "a.o", "a.c")


def cpp_programs(folder):
    for name, text in CPP.items():
        (folder / name).write_text(TILL + text + "\n")
    for output, options in (("typed", ["-gdwarf-4", "-fdebug-types-section"]), ("lto", ["-flto"])):
        run(folder, "g++", "-g", "-O2", *options, "-o", output, *CPP)


def companions(folder):
    """A program of each kind whose debug information is somewhere else; where memory is out, it must not count as absent."""
    run(folder, CC, "-g", "-O2", "-gsplit-dwarf", "-o", "split", "a.c")
    run(folder, CC, "-g", "-O2", "-Wl,--build-id=none", "-o", "whole", "a.c")
    run(folder, "objcopy", "--only-keep-debug", "whole", "whole.debug")
    run(folder, "objcopy", "--strip-all", "--add-gnu-debuglink=whole.debug", "whole", "stripped")
    run(folder, CC, "-g", "-O3", "-Wl,--build-id=0x0123456789abcdef", "-o", "whole", "a.c")
    (folder / ".build-id/01").mkdir(parents=True)
    run(folder, "objcopy", "--only-keep-debug", "whole", ".build-id/01/23456789abcdef.debug")
    run(folder, "objcopy", "--strip-all", "whole", "identified")
    for name in "one", "two":
        run(folder, CC, "-g", "-O2", "-o", name, "a.c")
    run(folder, "dwz", "-m", "common", "one", "two")


def packages(folder):
    """Split units in a package, by its old and its new form; and in one whose files are still there, which never answer."""
    for name, options in (("package4", ["-gdwarf-4"]), ("package5", ["-gdwarf-5"]), ("unpacked", ["-gdwarf-5"])):
        run(folder, CC, "-g", *options, "-O2", "-gsplit-dwarf", "-o", name, "a.c")
        run(folder, "llvm-dwp-19", "-e", name, "-o", name + ".dwp")
        for path in folder.glob("package*.dwo"):
            path.unlink()


def large_programs(folder):
    """One of many functions and calls, an object file of them, one without debug information, and one of packed symbols."""
    bodies = ["int f%d(int x) { return x %% 3 ? check(x + %d) : square(x) + square(x + 1); }" % (i, i) for i in range(MANY)]
    sums = " + ".join("f%d(argc)" % i for i in range(MANY))
    main = "int main(int argc, char **argv) { (void)argv; return %s; }" % sums
    (folder / "calls.c").write_text("\n".join([CALLS, *bodies, main, ""]))
    run(folder, CC, "-g", "-O2", "-Wl,-z,lazy", "-o", "calls", "calls.c")
    run(folder, CC, "-g", "-O2", "-ffunction-sections", "-c", "-o", "calls.o", "calls.c")
    run(folder, "objcopy", "--strip-debug", "calls", "plain")
    (folder / "plain.xz").write_bytes(lzma.compress((folder / "plain").read_bytes()))
    run(folder, "objcopy", "--strip-all", "--add-section=.gnu_debugdata=plain.xz", "calls", "packed")


def packed_modules(folder):
    """Object files that are packed as a whole, as kernel modules are."""
    module = (folder / "a.o").read_bytes()
    (folder / "a.ko.xz").write_bytes(lzma.compress(module))
    (folder / "a.ko.gz").write_bytes(gzip.compress(module))
    (folder / "a.ko.zst").write_bytes(zstd_stored(module))


def make_all(folder):
    """All of them, in the folder. Returns their names, but for that of the package whose files are still there, "unpacked"."""
    c_programs(folder)
    cpp_programs(folder)
    companions(folder)
    packages(folder)
    large_programs(folder)
    packed_modules(folder)
    return ["linked", "a.o", "old", "library.a", "thin.a", "typed", "lto", "split", "stripped", "identified", "one", "package4",
            "package5", "calls", "calls.o", "plain", "packed", "a.ko.xz", "a.ko.gz", "a.ko.zst"]
