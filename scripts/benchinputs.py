"""The inputs of the benchmarks: files of Debian's packages, and programs built from Debian's sources.

Everything lands in a cache folder and is made once; nothing is installed. What only Debian's binary packages can show
(another compiler's output, at another distributor's options) comes from them; what they have no file of (a Rust program
with its debug information, link-time optimised programs of one unit) is built here with the compilers that are installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from benchlib import ROOT, note, output_of


def cache_folder(argument):
    if argument:
        return pathlib.Path(argument)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "locus-bench"


# ---- Packages ----

# As root, apt would drop its privileges and could not write into the cache folder.
APT = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root"]


def real_package(package):
    """The package that carries the files: `package` itself, or what a package for the newest kernel depends on."""
    if not package.startswith("linux-image-cloud-"):
        return package
    depends = re.findall(r"Depends: (linux-image-\S+-dbg)", output_of(["apt-cache", "depends", package]))
    if not depends:
        sys.exit(f"bench: apt-cache knows nothing that {package} depends on")
    return depends[0]


def made(folder, make):
    """A folder of the cache: as it is, if it is there; else made beside it, so that a folder that is there is whole."""
    if not folder.exists():
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        make(part)
        part.rename(folder)
    return folder


def fetch(package, cache):
    """The folder a package is unpacked in. What is there already is used, whatever its version."""
    package = real_package(package)
    there = sorted(folder for folder in cache.glob(package + "_*") if not folder.name.endswith(".part"))
    if there:
        return there[-1]
    download = cache / (package + ".download")
    shutil.rmtree(download, ignore_errors=True)
    download.mkdir(parents=True)
    note(f"downloading {package}")
    run([*APT, "download", package], download)
    deb = next(download.glob("*.deb"))
    folder = made(cache / deb.stem, lambda part: run(["dpkg", "-x", deb, part], cache))
    shutil.rmtree(download)
    return folder


def fetch_source(package, part):
    """Unpacks the source of a Debian package into part/source, with lists of apt's own beside it."""
    lists = part / "apt"
    (lists / "lists/partial").mkdir(parents=True)
    release = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())
    (lists / "sources").write_text(f"deb-src http://deb.debian.org/debian {release.group(1)} main\n")
    options = ["-o", f"Dir::Etc::sourcelist={lists}/sources", "-o", "Dir::Etc::sourceparts=/dev/null",
               "-o", f"Dir::State::lists={lists}/lists"]
    note(f"downloading the source of {package}")
    run([*APT, *options, "update"], lists)
    run([*APT, *options, "source", "--download-only", package], lists)
    run(["dpkg-source", "--no-check", "-x", next(lists.glob("*.dsc")), part / "source"], lists)
    shutil.rmtree(lists)


def run(command, folder):
    try:
        subprocess.run(list(map(str, command)), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"bench: {error}; --input NAME=PATH takes a file that is here already, --only NAME leaves others out")


# ---- Kinds of inputs: each gives (the file, where it comes from), or None where its compiler is not installed ----

def has(compiler):
    if shutil.which(compiler):
        return True
    note(f"{compiler} is not installed: what it would build is left out")
    return False


def packaged(package, pattern):
    """The largest file of a package that fits the pattern."""
    def find(cache):
        folder = fetch(package, cache)
        return max(folder.glob(pattern), key=lambda file: file.stat().st_size), folder.name
    return find


def link_time_optimised(name, compiler, *options):
    """cppcheck, 80,000 lines of C++, as one program that its linker optimised as a whole."""
    def build(part):
        fetch_source("cppcheck", part)
        source = part / "source"
        units = [unit for place in ("lib/*.cpp", "cli/*.cpp", "externals/simplecpp/*.cpp", "externals/tinyxml2/*.cpp")
                 for unit in sorted(source.glob(place))]
        note(f"building cppcheck with {compiler} -flto, which takes minutes")
        includes = [f"-I{place}" for place in ("lib", "externals", "externals/simplecpp", "externals/tinyxml2",
                                               "externals/picojson")]
        run([compiler, "-O2", "-g", "-flto", *options, *includes, '-DFILESDIR="/usr/share/cppcheck"', "-o", part / name,
             *units], source)
        shutil.rmtree(source)
    return lambda cache: (made(cache / name, build) / name, f"cppcheck, {compiler} -flto") if has(compiler) else None


CRATES = ["syn", "quote", "proc-macro2", "unicode-ident", "regex", "regex-syntax", "aho-corasick", "memchr"]
RUST_MANIFEST = """[package]
name = "items"
version = "0.1.0"
edition = "2018"

[dependencies]
syn = { version = "1", features = ["full", "extra-traits"] }
quote = "1"
regex = "1"

[profile.release]
debug = 2
"""
RUST_CONFIG = """[source.crates-io]
replace-with = "debian"

[source.debian]
directory = "%s"
"""
RUST_PROGRAM = """//! Prints the items of Rust sources whose text matches a regular expression.
use quote::ToTokens;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let pattern = regex::Regex::new(&arguments.next().expect("a pattern")).expect("a regular expression");
    for path in arguments {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        for item in syn::parse_file(&source).expect("a Rust source").items {
            if pattern.is_match(&item.to_token_stream().to_string()) {
                println!("{}: {:?}", path, item);
            }
        }
    }
}
"""


def rust_program(cache):
    """A program of Debian's crates: a parser, a printer and regular expressions, with all that they instantiate."""
    def build(part):
        crates = [fetch(f"librust-{crate}-dev", cache) for crate in CRATES]
        registry = part / "registry"
        for crate in crates:
            shutil.copytree(crate / "usr/share/cargo/registry", registry, dirs_exist_ok=True)
        for path, text in (("Cargo.toml", RUST_MANIFEST), (".cargo/config.toml", RUST_CONFIG % registry),
                           ("src/main.rs", RUST_PROGRAM)):
            (part / path).parent.mkdir(exist_ok=True)
            (part / path).write_text(text)
        note("building a Rust program, which takes minutes")
        run(["cargo", "build", "--release", "--offline", "--quiet"], part)
        (part / "target/release/items").rename(part / "items")
        shutil.rmtree(part / "target")
        shutil.rmtree(registry)
    if not has("cargo"):
        return None
    return made(cache / "rust-items", build) / "items", "Debian's crates, cargo --release, debug = 2"


def giant_unit(cache):
    """128,000 functions and 12.8 million intervals in one unit."""
    folder = made(cache / "giant-unit",
                  lambda part: run([sys.executable, ROOT / "scripts/giant_unit.py", part / "giant", 128000], part))
    return folder / "giant", "scripts/giant_unit.py OUT 128000"


# The first three are what locus was tuned on while it was made; the others are there because it was not.
INPUTS = {
    "glibc": packaged("libc6-dbg", "usr/lib/debug/.build-id/*/*.debug"),
    "vmlinux": packaged("linux-image-cloud-amd64-dbg", "usr/lib/debug/boot/vmlinux-*"),
    "ceph-osd": packaged("ceph-osd-dbg", "usr/lib/debug/.build-id/*/*.debug"),
    "wb_view": packaged("connectome-workbench-dbg", "usr/lib/debug/.build-id/*/*.debug"),
    "libpetsc": packaged("libpetsc-real3.18-dbg", "usr/lib/debug/.build-id/*/*.debug"),
    "Rust": rust_program,
    "giant unit": giant_unit,
    "LTO, gcc": link_time_optimised("lto-gcc", "g++", "-flto-partition=one"),
    "LTO, clang": link_time_optimised("lto-clang", "clang++-19", "-fuse-ld=lld"),
}


def choose(given, only, cache):
    """NAME -> (path, where it comes from): `given` files ("NAME=PATH") take the place of INPUTS', and come after them."""
    given = dict(item.partition("=")[::2] for item in given)
    chosen = {}
    for name in [*INPUTS, *(name for name in given if name not in INPUTS)]:
        if only and name not in only:
            continue
        found = (pathlib.Path(given[name]).resolve(), "given") if name in given else INPUTS[name](cache)
        if found:
            chosen[name] = found
    return chosen
