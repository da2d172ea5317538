"""Tests the package on the files that scripts/test-python makes: area, area.locus, and what `locus` says of them.

Environment: AREA, the folder with these; LOCUS, the command.
"""
import copy
import ctypes
import errno
import gc
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
from collections.abc import Callable

import locus
from locus import _abi

AREA = pathlib.Path(os.environ["AREA"])
LOCUS = os.environ["LOCUS"]
HEADERS = pathlib.Path(__file__).resolve().parents[3]


def command(*arguments: str) -> str:
    return subprocess.run([LOCUS, *arguments], cwd=AREA, check=True, capture_output=True, text=True).stdout


def as_json(address: int, result: locus.Result) -> dict[str, object]:
    """A result as `locus lookup --json --no-demangle` writes it."""
    answer: dict[str, object] = {"address": hex(address), "status": result.interval.answer.name.lower().replace("_", "-")}
    if result.interval.locid != locus.NO_LOCID:
        answer["locid"] = result.interval.locid
    frames = []
    for frame in result.frames:
        values = {"function": frame.name, "linkage_name": frame.linkage, "file": frame.path, "line": frame.line,
                  "offset": None if frame.offset is None else hex(frame.offset), "inlined": frame.inlined}
        frames.append({key: value for key, value in values.items() if value is not None})
    answer["frames"] = frames
    return answer


class Answers(unittest.TestCase):
    def test_every_address_answers_as_the_command_does(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            addresses = [interval.start for interval in file.intervals()] + [0, (1 << 64) - 1]
            printed = command("lookup", "--json", "--no-demangle", "area.locus", *map(hex, addresses)).splitlines()
            self.assertEqual(len(printed), len(addresses))
            for address, line in zip(addresses, printed):
                expected = json.loads(line)
                got = as_json(address, file.lookup(address))
                self.assertEqual({key: expected.get(key) for key in got}, got)
                self.assertEqual(file.find(address), file.lookup(address).interval)
                for frame in file.lookup(address).frames:
                    self.assertEqual(frame.part_start, None if frame.inlined else address - (frame.offset or 0))

    def test_iteration_gives_what_lookup_gives(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            results = list(file)
            self.assertEqual(len(results), len(file))
            self.assertEqual([result.interval for result in results], list(file.intervals()))
            self.assertEqual([result.frames for result in results],
                             [file.lookup(result.interval.start).frames for result in results])
            self.assertEqual(file.at(3), results[3])
            self.assertTrue(any(len(result.frames) == 3 for result in results))

    def test_the_ends_of_the_addresses(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            below = file.lookup(0)
            self.assertEqual((below.interval.locid, below.interval.start, below.frames), (locus.NO_LOCID, 0, ()))
            self.assertEqual(below.interval.answer, locus.Answer.NONE)
            for address in (-1, 1 << 64):
                with self.assertRaisesRegex(locus.UsageError, f"area.locus: address {address} is not in 0 to"):
                    file.lookup(address)
            cut: list[Callable[[], object]] = [
                lambda: file.at(1 << 32), lambda: file.interval_at(1 << 32), lambda: file.function((1 << 32) + 1),
                lambda: file.address_of_offset(1 << 64), lambda: file.address_of_runtime(0, (1 << 64) + 0x1000),
                lambda: file.address_of_runtime(1 << 64, 0x1000), lambda: file.ranges([(1 << 32) + 1])]
            for use in cut:
                with self.assertRaisesRegex(locus.UsageError, "area.locus: .* is not in 0 to"):
                    use()
            with self.assertRaises(locus.UsageError) as caught:
                file.at(len(file))
            self.assertEqual(caught.exception.status, locus.Status.USAGE)

    def test_functions_and_files_are_those_of_frames(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            functions = {function.id: function for function in file.functions()}
            files = {one.id: one for one in file.source_files()}
            self.assertEqual((len(functions), len(files)), (file.function_count, file.source_file_count))
            for result in file:
                for frame in result.frames:
                    self.assertEqual(functions[frame.function_id].name, frame.name)
                    if frame.file_id is not None:
                        self.assertEqual(files[frame.file_id].path, frame.path)
            for id in (0, file.function_count + 1):
                with self.assertRaises(locus.UsageError):
                    file.function(id)

    def test_what_is_not_known_is_none(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            start, = file.functions_named("_start")
            self.assertEqual(start[3:], (None, None, None))
            self.assertEqual({frame.column for result in file for frame in result.frames}, {None})

    def test_names_and_paths_are_put_together(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            main, = file.functions_named("main")
            frame = file.lookup(file.function_places(["main"])["main"].start).frames[-1]
        self.assertEqual(main._replace(source_name=None, linkage="_Z4mainv").name, "_Z4mainv")
        self.assertEqual(frame._replace(function=None, linkage="_Z4mainv").name, "_Z4mainv")
        self.assertEqual([frame._replace(directory=directory).path for directory in ("/src", "/", None)],
                         ["/src/area.c", "/area.c", "area.c"])

    def test_a_function_is_found_with_its_inlined_copies(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            square, = file.functions_named("square")
            expected = [json.loads(line) for line in command("find", "--json", "area.locus", "square").splitlines()]
            ranges = file.ranges([square])
            self.assertEqual([(hex(one.start), hex(one.end), one.inlined) for one in ranges],
                             [(one["start"], one["end"], one["kind"] == "inlined") for one in expected])
            self.assertTrue(all(one.inlined for one in ranges) and ranges)
            for one in ranges:
                self.assertIn("square", [frame.name for frame in file.lookup(one.start).frames])
            self.assertEqual(file.ranges([square.id]), ranges)
            self.assertEqual(file.ranges([]), [])
            self.assertEqual({(one.part, one.part_start) for one in ranges}, {(None, None)})
            main, = file.functions_named("main")
            for one in file.ranges([main]):
                frame = file.lookup(one.start).frames[-1]
                self.assertEqual((one.part, one.part_start), (frame.part, frame.part_start))
                self.assertIs(one.part, locus.PartKind.ENTRY)
            self.assertEqual(file.function_places(["main", "square", "no such"]),
                             {"main": locus.FunctionPlace(file.ranges([main])[0].start, 1)})
            with self.assertRaisesRegex(locus.UsageError, r"area.locus: names are several, as \['main'\], and not one"):
                file.function_places("main")

    def test_an_alternate_is_found(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            place = file.function_places(["shown"])["shown"]
            alternate, = file.alternates(place.start)
            self.assertEqual(alternate.kind, locus.AlternateKind.ALIAS)
            self.assertEqual({file.function(alternate.function_id).name, file.lookup(place.start).frames[-1].name},
                             {"shown", "also_shown"})
            self.assertIn(alternate, list(file.all_alternates()))

    def test_what_the_file_says_of_itself(self) -> None:
        said = json.loads(command("info", "--json", "area.locus"))
        with locus.open(AREA / "area.locus") as file:
            info = file.info
            self.assertEqual(info.build_id.hex() if info.build_id else None, said["build_id"])
            self.assertEqual(file.size, (AREA / "area.locus").stat().st_size)
            self.assertIn(file.memory_size, range(1 << 16, 4 << 20))
            self.assertEqual(len(file.identity), 16)
            self.assertEqual(file.identity.hex(), said["identity"])
            self.assertGreater(info.coverage["line"], 0)
            self.assertEqual(info.coverage, said["coverage"])
            self.assertEqual({name: count for name, count in info.dropped.items() if count}, said["dropped"])
            self.assertIn("overlap", info.dropped)
            self.assertEqual(info.inputs[0].role, locus.InputRole.PROGRAM)
            self.assertEqual(info.inputs[0].size, (AREA / "area").stat().st_size)
            one, told = info.inputs[0], said["inputs"][0]
            assert one.build_id and one.digest
            digest = one.digest[::-1].hex()  # as xxhsum writes it
            self.assertEqual((one.name, one.build_id.hex(), digest), (told["name"], told["build_id"], told["digest"]))
            self.assertTrue(info.tool.startswith("locus "))
            self.assertTrue(any(segment.flags & 1 for segment in info.segments))
            self.assertTrue(any(segment.file_size < segment.memory_size for segment in info.segments))
            of_segment = "address", "offset", "file_size", "memory_size"
            self.assertEqual([tuple(segment[:4]) for segment in info.segments],
                             [tuple(int(segment[key], 16) for key in of_segment) for segment in said["segments"]])
            of_section = "id", "name", "blocks", "entries", "index_size", "data_size", "raw_size"
            self.assertEqual([section[:2] + section[3:] for section in file.sections()],
                             [tuple(section[key] for key in of_section) for section in said["sections"]])
            required = [section.name for section in file.sections() if section.required]
            self.assertEqual(required, ["files", "intervals", "functions"])
            file.verify()

    def test_addresses_of_a_process_and_of_a_file(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            start = file.function_places(["main"])["main"].start
            segment, = [one for one in file.info.segments if one.address <= start < one.address + one.file_size]
            self.assertEqual(file.address_of_offset(start - segment.address + segment.offset), start)
            self.assertEqual(file.address_of_runtime(0x7f0000000000, 0x7f0000000000 + start), start)
            with self.assertRaises(locus.UsageError):
                file.address_of_runtime(0x7f0000000000, 0x10)
            with self.assertRaises(locus.UsageError):
                file.address_of_offset(1 << 40)

    def test_names_that_are_no_utf8_come_back(self) -> None:
        kept = b"squ\xffre"
        string = _abi.locus_string(ctypes.cast(ctypes.c_char_p(kept), ctypes.c_void_p), len(kept))
        self.assertEqual(os.fsencode(_abi.text_of(string) or ""), kept)
        self.assertIsNone(_abi.text_of(_abi.locus_string(None, 0)))


def vectors() -> dict[str, bytes]:
    """Files written by hand, by their names, which begin with what is wrong with them, or ok."""
    found = {vector.stem: vector.read_text().splitlines() for vector in (HEADERS / "testdata/vectors").glob("*.hex")}
    return {name: bytes.fromhex("".join(line.split(";")[0] for line in lines)) for name, lines in found.items()}


def as_dump(file: locus.File) -> list[str]:
    """All that a file has, in the lines that `locus dump` writes."""
    def escaped(character: str) -> str:
        if character in '"\\':
            return "\\" + character
        data = character.encode("utf-8", "surrogateescape")
        return character if character.isprintable() else "".join(f"\\x{byte:02x}" for byte in data)

    def quoted(text: str) -> str:
        return '"' + "".join(map(escaped, text)) + '"'

    def texts(**texts: str | None) -> str:
        return "".join(f" {key}={quoted(text)}" for key, text in texts.items() if text)

    def digits(data: bytes | None) -> str:
        return (data or b"").hex()

    def hexed(number: int) -> str:
        return f"{number:#x}" if number else "0"  # as C's %#x

    info = file.info
    lines = [f"locus format={file.format_version}", f"build-id {digits(info.build_id)}",
             f"elf machine={info.elf_machine} type={info.elf_type} class={info.elf_class} data={info.elf_data}",
             f"converter rules-epoch={info.rules_epoch}" + texts(tool=info.tool, options=info.options)]
    lines += [f'base {hexed(one.base)} {hexed(one.size)} {quoted(one.name)}' for one in info.bases]
    lines += [f"input role={int(one.role)} size={one.size} digest={int(one.digest_kind)}:{digits(one.digest)}"
              f" build-id={digits(one.build_id)}" + texts(name=one.name) for one in info.inputs]
    lines += [f"segment {hexed(one.address)} offset={hexed(one.offset)} size={hexed(one.file_size)}"
              f" memory={hexed(one.memory_size)} flags={one.flags}" for one in info.segments]
    lines += [f"{kind} {name} {value}" for kind, counters in (("coverage", info.coverage), ("dropped", info.dropped))
              for name, value in counters.items()]
    lines += [f"file {one.id}" + texts(directory=one.directory, name=one.name) for one in file.source_files()]
    lines += [f"function {one.id}" + texts(name=one.source_name, linkage=one.linkage) +
              f" file={one.decl_file_id or 0} line={one.decl_line or 0} language={one.language or 0}"
              for one in file.functions()]
    lines += [f"alternate {hexed(one.start)} size={hexed(one.size)} function={one.function_id} {one.kind.name.lower()}"
              for one in file.all_alternates()]
    for interval, frames in file:
        line = f"{interval.start:#x} {interval.answer.name.lower().replace('_', '-')}"
        for frame in frames:
            line += f" {frame.function_id}@{frame.file_id or 0}:{frame.line or 0}"
            line += f":{frame.column}" if frame.column else ""
            line += "" if frame.part is None else f" {frame.part.name.lower()} {frame.part_start:#x}"
        lines.append(line)
    return lines


class Dumps(unittest.TestCase):
    """Files that have each thing that the format can hold, written by hand, and those of a program."""

    def files(self) -> dict[str, bytes]:
        command("convert", "--columns", "-o", "columns.locus", "area")
        files = {name: (AREA / name).read_bytes() for name in ("area.locus", "columns.locus")}
        for name, data in vectors().items():
            if name.startswith("ok-") and name != "ok-meta-untidy":  # it has one counter twice, which is one entry of a dict
                files[name] = data
        self.assertGreater(len(files), 50)
        return files

    def test_a_counter_that_comes_twice_is_the_sum(self) -> None:
        with locus.File.from_bytes(vectors()["ok-meta-untidy"]) as file:
            self.assertEqual(file.info.coverage, {"line": 3})

    def test_everything_in_them_is_what_the_command_says(self) -> None:
        for name, data in self.files().items():
            (AREA / "dumped.locus").write_bytes(data)
            # The command numbers counters, and names those that it knows; here others have their number for a name.
            dumped = command("dump", "dumped.locus")
            dumped = re.sub(r"^(coverage|dropped) \d+ (?!\?)", r"\1 ", dumped, flags=re.M)
            dumped = re.sub(r"^(coverage|dropped) (\d+) \? ", r"\1 \2 ", dumped, flags=re.M)
            with self.subTest(name), locus.File.from_bytes(data) as file:
                self.assertTrue(file)  # also without an interval
                self.assertEqual(as_dump(file), dumped.splitlines())
                for _, frames in file:
                    for frame in frames:
                        function = file.function(frame.function_id)
                        self.assertEqual(frame.language, function.language)
                        for name in filter(None, (frame.function, frame.linkage)):
                            self.assertIn(function, file.functions_named(name))
                names = {name for one in file.functions() for name in (one.source_name, one.linkage) if name}
                places = file.function_places(names)
                for name in names:
                    starts = {frames[-1].part_start for _, frames in file if frames and frames[-1].name == name and
                              frames[-1].part == locus.PartKind.ENTRY}
                    if starts:
                        self.assertGreaterEqual(places[name].start_count, len(starts))


class Lifetimes(unittest.TestCase):
    def test_a_closed_file_raises(self) -> None:
        file = locus.open(AREA / "area.locus")
        results = iter(file)
        kept = next(results)
        file.close()
        file.close()
        self.assertTrue(file.closed)
        self.assertIn("closed", repr(file))
        uses: list[Callable[[], object]] = [
            lambda: file.lookup(0), lambda: len(file), lambda: next(results), lambda: file.info,
            lambda: file.ranges([1]), file.verify, lambda: file.identity]
        for use in uses:
            with self.assertRaises(locus.ClosedError):
                use()
        self.assertIsInstance(repr(kept), str)

    def test_a_file_that_is_closed_while_it_is_asked_takes_no_more_questions(self) -> None:
        file = locus.open(AREA / "area.locus")
        with file._handle.call():
            file.close()
            with self.assertRaises(locus.ClosedError):
                file.lookup(0x1149)

    def test_a_signal_handler_may_use_a_file_that_is_being_closed(self) -> None:
        # As if a signal came whenever liblocus has freed something.
        file = locus.open(AREA / "area.locus")
        freed: list[tuple[str, int]] = []
        file.lookup(0)

        class Interrupted:
            def __getattr__(self, name: str) -> Callable[[int], None]:
                def free(pointer: int) -> None:
                    getattr(locus._library.lib, name)(pointer)
                    freed.append((name, pointer))
                    with unittest.TestCase().assertRaises(locus.ClosedError):
                        file.lookup(0)
                return free

        with unittest.mock.patch("locus._handle.lib", Interrupted()):
            file.close()
        self.assertEqual([name for name, _ in freed], ["locus_scratch_free", "locus_close"])

    def test_a_signal_handler_may_close_a_file_at_the_end_of_a_call(self) -> None:
        class Idle(list[int]):
            def append(self, scratch: int) -> None:
                file.close()
                super().append(scratch)

        file = locus.open(AREA / "area.locus")
        file._handle._idle = Idle()
        with unittest.mock.patch("locus._handle.lib", wraps=locus._library.lib) as lib:
            file.lookup(0)
        self.assertEqual([name for name, *_ in lib.mock_calls], ["locus_scratch_new", "locus_scratch_free", "locus_close"])

    def test_values_stay_when_the_file_is_gone(self) -> None:
        file = locus.open(AREA / "area.locus")
        results, info = list(file), file.info
        expected = repr(results), repr(info)
        del file
        gc.collect()
        self.assertEqual((repr(results), repr(info)), expected)

    def test_a_file_is_closed_when_nothing_refers_to_it(self) -> None:
        file = locus.open(AREA / "area.locus")
        handle = file._handle
        results = iter(file)
        del file
        gc.collect()
        next(results)
        del results
        gc.collect()
        self.assertTrue(handle.is_closed)

    def test_bytes_stay_as_long_as_their_file(self) -> None:
        data = bytes(bytearray((AREA / "area.locus").read_bytes()))
        before = sys.getrefcount(data)
        file = locus.File.from_bytes(data)
        self.assertGreater(sys.getrefcount(data), before)
        file.close()
        self.assertEqual(sys.getrefcount(data), before)
        file = locus.File.from_bytes(data)
        del data
        gc.collect()
        self.assertEqual([one.frames for one in file], [one.frames for one in locus.open(AREA / "area.locus")])

    def test_threads_share_a_file(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            expected = list(file)
            wrong: list[object] = []

            def ask() -> None:
                for _ in range(20):
                    if list(file) != expected:
                        wrong.append("a thread was answered otherwise")

            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])

    def test_closing_while_threads_ask(self) -> None:
        for _ in range(20):
            file = locus.open(AREA / "area.locus")
            started = threading.Barrier(4)
            ends: list[object] = []

            def ask() -> None:
                started.wait()
                try:
                    while True:
                        list(file.intervals())
                except Exception as error:
                    ends.append(type(error))

            threads = [threading.Thread(target=ask) for _ in range(3)]
            for thread in threads:
                thread.start()
            started.wait()
            file.close()
            for thread in threads:
                thread.join()
            self.assertEqual(ends, [locus.ClosedError] * 3)


class Failures(unittest.TestCase):
    def raised(self, kind: type[Exception], data: bytes) -> locus.LocusError:
        with self.assertRaises(kind) as caught:
            with locus.File.from_bytes(data, name="it") as file:
                file.verify()
        self.assertTrue(str(caught.exception).startswith("it: "), caught.exception)
        assert isinstance(caught.exception, locus.LocusError)
        return caught.exception

    def test_each_kind_of_damage(self) -> None:
        whole = (AREA / "area.locus").read_bytes()
        self.assertEqual(self.raised(locus.NotLocusError, b"no such file at all").status, locus.Status.NOT_LOCUS)
        self.assertEqual(self.raised(locus.DamagedError, whole[:-1]).status, locus.Status.TRUNCATED)
        changed = self.raised(locus.DamagedError, whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:])
        self.assertEqual(changed.status, locus.Status.CHECKSUM)
        self.assertIsInstance(changed.offset, int)
        self.raised(locus.VersionError, whole[:8] + b"\x09" + whole[9:])
        self.raised(locus.LocusError, b"")

    def test_each_vector_that_is_wrong(self) -> None:
        kinds = {"checksum": (locus.DamagedError, locus.Status.CHECKSUM), "corrupt": (locus.DamagedError, locus.Status.CORRUPT),
                 "not": (locus.NotLocusError, locus.Status.NOT_LOCUS), "version": (locus.VersionError, locus.Status.VERSION),
                 "truncated": (locus.DamagedError, locus.Status.TRUNCATED),
                 "unsupported": (locus.UnsupportedError, locus.Status.UNSUPPORTED)}
        met = set()
        for name, data in vectors().items():
            prefix = name.split("-")[0]
            if prefix != "ok":
                kind, status = kinds[prefix]
                with self.subTest(name):
                    self.assertEqual(self.raised(kind, data).status, status)
                met.add(prefix)
        self.assertEqual(met, set(kinds))

    def test_each_status_has_its_exception(self) -> None:
        kinds = {locus.Status.IO: locus.ReadError, locus.Status.MEMORY: locus.OutOfMemoryError,
                 locus.Status.USAGE: locus.UsageError, locus.Status.UNSUPPORTED: locus.UnsupportedError,
                 locus.Status.LIMIT: locus.LimitError, locus.Status.OUTPUT: locus.LocusError}
        for status, kind in kinds.items():
            made = locus.errors.failure("it", status, _abi.locus_error(b"na\xffme", 5))
            self.assertEqual((type(made), made.status, made.offset, str(made)), (kind, status, 5, "it: na\ufffdme"))

    def test_a_path_may_be_any_bytes(self) -> None:
        path = AREA / os.fsdecode(b"\xff.locus")
        shutil.copy(AREA / "area.locus", path)
        with locus.open(path) as file:
            self.assertEqual(len(file), len(list(file)))

    def test_a_file_that_is_not_there(self) -> None:
        with self.assertRaises(locus.ReadError) as caught:
            locus.open(AREA / "no such.locus")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("no such.locus: ", str(caught.exception))
        self.assertEqual(caught.exception.errno, errno.ENOENT)
        self.assertIsNone(caught.exception.offset)

    def test_the_bound_of_memory_holds_however_a_file_is_opened(self) -> None:
        # Of a file of many blocks, the least bound keeps none.
        command("convert", "--symbols-only", "--block-size=1", "--store=many", os.environ["LOCUS_LIBRARY"])
        store = locus.Store(AREA / "many")
        build_id, = store
        path = pathlib.Path(store.path_of(build_id))
        ways: list[Callable[[int], locus.File]] = [
            lambda most: locus.open(path, memory_max=most),
            lambda most: locus.File.from_bytes(path.read_bytes(), memory_max=most),
            lambda most: store.open(build_id, memory_max=most)]
        for number, way in enumerate(ways):
            with self.subTest(number), way(0) as free, way(1) as bounded:
                self.assertEqual(list(free), list(bounded))
                self.assertGreater(free.memory_size, bounded.memory_size)

    def test_a_quick_look_reads_the_head_and_meta_data_alone(self) -> None:
        data = bytearray((AREA / "area.locus").read_bytes())
        data[-5] ^= 1
        with locus.File.from_bytes(bytes(data)) as file:
            file.verify(quick=True)
            with self.assertRaises(locus.DamagedError):
                file.verify()

    def test_what_ctypes_would_cut_is_refused(self) -> None:
        build_id = next(iter(locus.Store(AREA / "store")))
        wrong: list[Callable[[], object]] = [
            lambda: locus.open(str(AREA / "area.locus") + "\0more"),
            lambda: locus.Store(str(AREA / "store") + "\0more").open(build_id),
            lambda: locus.open(AREA / "area.locus", memory_max=-1),
            lambda: locus.open(AREA / "area.locus", memory_max=1 << 64),
            lambda: locus.File.from_bytes(b"", memory_max=-1)]
        for number, use in enumerate(wrong):
            with self.subTest(number), self.assertRaises(locus.UsageError) as caught:
                use()
            self.assertEqual(caught.exception.status, locus.Status.USAGE)

    def test_every_kind_of_integer_is_one(self) -> None:
        class Number:  # as numpy's are
            def __init__(self, value: int) -> None:
                self.value = value

            def __index__(self) -> int:
                return self.value

        with locus.open(AREA / "area.locus") as file:
            address = file.function_places(["main"])["main"].start
            function, segment = file.function(3), file.info.segments[0]
            ways: list[tuple[Callable[..., object], int]] = [
                (file.lookup, address), (file.find, address), (file.at, 3), (file.interval_at, 3), (file.function, 3),
                (file.source_file, 1), (file.alternates, address), (file.address_of_offset, segment.offset),
                (lambda number: file.address_of_runtime(number, address), 0), (lambda number: file.ranges([number]), 3)]
            for way, number in ways:
                self.assertEqual(way(Number(number)), way(number))
                for wrong in (float(number), str(number), None):
                    with self.assertRaisesRegex(TypeError, "cannot be interpreted as an integer"):
                        way(wrong)
            self.assertIs(type(file.function(Number(3)).id), int)
            self.assertEqual(file.ranges([function]), file.ranges([3]))

    def test_a_file_is_not_copied(self) -> None:
        with locus.open(AREA / "area.locus") as file:
            ways: list[Callable[[locus.File], object]] = [copy.copy, copy.deepcopy, pickle.dumps]
            for way in ways:
                with self.assertRaisesRegex(TypeError, "open the file again"):
                    way(file)
            self.assertEqual(pickle.loads(pickle.dumps(file.at(0))), file.at(0))

    def test_what_interrupts_a_search_is_not_lost(self) -> None:
        # A callback that liblocus calls cannot raise through it; the interruption comes out all the same.
        with unittest.mock.patch("locus.file._function_range", side_effect=KeyboardInterrupt) as found:
            with locus.open(AREA / "area.locus") as file, self.assertRaises(KeyboardInterrupt):
                file.ranges([function.id for function in file.functions()])
        self.assertEqual(found.call_count, 1, "the search went on")


class Stores(unittest.TestCase):
    def test_a_program_is_found_by_its_build_id(self) -> None:
        store = locus.Store(AREA / "store")
        self.assertEqual(list(locus.Store(os.fsencode(AREA / "store"))), list(store))  # type: ignore[arg-type]
        with locus.open(AREA / "area.locus") as file:
            build_id = file.info.build_id
            assert build_id
            self.assertEqual(list(store), [build_id.hex()])
            names: list[str | bytes] = [build_id, build_id.hex(), build_id.hex().upper()]
            for name in names:
                self.assertIn(name, store)
                with store.open(name) as found:
                    self.assertEqual(found.identity, file.identity)
        os.makedirs(AREA / "store/buildid/ab34", exist_ok=True)
        shutil.copy(store.path_of(build_id), store.path_of("ab34"))
        with self.assertRaises(locus.LocusError):  # of another program
            store.open("ab34")
        shutil.rmtree(AREA / "store/buildid/ab34")
        os.makedirs(AREA / "store/buildid/ab12")  # as it is while a file is made
        self.assertEqual(list(store), [build_id.hex()])
        os.rmdir(AREA / "store/buildid/ab12")
        self.assertNotIn("ab12", store)
        self.assertNotIn(64 * "ab", store)
        with self.assertRaises(locus.ReadError) as caught:
            store.open("ab12")
        self.assertEqual(caught.exception.errno, errno.ENOENT)
        bad_names: list[str | bytes] = ["", b"", "../x", "abc", "ab 12", 65 * "ab"]
        for bad in bad_names:
            with self.assertRaisesRegex(locus.UsageError, "store: .* is no build-id"):
                store.path_of(bad)
        self.assertEqual(list(locus.Store(AREA / "no such")), [])


class Header(unittest.TestCase):
    """Holds _abi.py against <locus.h>, by a C program that says where the header has each field."""

    STRUCTS = {name: one for name, one in vars(_abi).items()
               if name.startswith("locus_") and issubclass(one, ctypes.Structure)}
    ENUMS = {"LOCUS_ANSWER_": locus.Answer, "LOCUS_PART_": locus.PartKind, "LOCUS_ALTERNATE_": locus.AlternateKind,
             "LOCUS_INPUT_": locus.InputRole, "LOCUS_DIGEST_": locus.DigestKind}

    def c_says(self, lines: list[str]) -> list[int]:
        program = ["#include <stddef.h>", "#include <stdio.h>", '#include "reader/locus.h"', "int main(void) {",
                   *(f'printf("%llu\\n", (unsigned long long)({line}));' for line in lines), "}"]
        with tempfile.TemporaryDirectory() as folder:
            built = os.path.join(folder, "layout")
            subprocess.run([os.environ.get("CC", "cc"), "-std=c11", f"-I{HEADERS}", "-xc", "-", "-o", built],
                           input="\n".join(program), text=True, check=True)
            return [int(line) for line in subprocess.run([built], capture_output=True, text=True).stdout.split()]

    def test_structs_have_the_layout_of_the_header(self) -> None:
        asked, expected = [], []
        for name, struct in self.STRUCTS.items():
            asked.append(f"sizeof(struct {name})")
            expected.append(ctypes.sizeof(struct))
            for field, *_ in struct._fields_:
                member = getattr(struct, field)
                asked += [f"offsetof(struct {name}, {field})", f"sizeof(((struct {name} *)0)->{field})"]
                expected += [member.offset, member.size]
        self.assertEqual(dict(zip(asked, self.c_says(asked))), dict(zip(asked, expected)))
        in_header = re.findall(r"^struct (\w+) \{", (HEADERS / "reader/locus.h").read_text(), re.M)
        self.assertEqual(sorted([*in_header, "locus_error"]), sorted(self.STRUCTS))

    def test_numbers_are_those_of_the_header(self) -> None:
        for prefix, kind in self.ENUMS.items():
            self.assertEqual(self.c_says([prefix + one.name for one in kind]), [int(one) for one in kind])
        names = ["LOCUS_OK" if one == 0 else "LOCUS_ERR_" + one.name for one in locus.Status]
        self.assertEqual(self.c_says(names), list(locus.Status))
        self.assertEqual(len(re.findall(r"LOCUS_(?:OK|ERR_\w+) = ", (HEADERS / "spec/status.h").read_text())),
                         len(locus.Status))
        self.assertEqual(self.c_says(["LOCUS_NO_LOCID"]), [locus.NO_LOCID])

    def test_every_function_is_bound_or_left_out_on_purpose(self) -> None:
        in_header = re.findall(r"^(?!typedef)[a-z][\w *]*?\b(locus_\w+)\(", (HEADERS / "reader/locus.h").read_text(), re.M)
        self.assertEqual(sorted(in_header), sorted([*_abi.PROTOTYPES, *_abi.NOT_BOUND]))

    def test_the_package_has_the_version_of_the_library(self) -> None:
        stated = re.search(r'^version = "(.*?)"', (HEADERS / "bindings/python/pyproject.toml").read_text(), re.M)
        assert stated
        self.assertEqual(stated[1], locus.LIBRARY_VERSION)


class Loading(unittest.TestCase):
    def load(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        kept = {key: value for key, value in os.environ.items() if key not in ("LOCUS_LIBRARY", "LD_LIBRARY_PATH")}
        return subprocess.run([sys.executable, "-c", "import locus; print(locus.LIBRARY_VERSION)"],
                              env={**kept, **environment}, capture_output=True, text=True)

    def test_a_library_that_is_not_there_is_an_import_error(self) -> None:
        failed = self.load(LOCUS_LIBRARY="/nowhere/liblocus.so.0")
        self.assertIn("ImportError: liblocus.so.0 cannot be loaded (/nowhere/liblocus.so.0", failed.stderr)
        self.assertIn("LOCUS_LIBRARY", failed.stderr)

    def test_a_library_that_is_another_one_is_an_import_error(self) -> None:
        failed = self.load(LOCUS_LIBRARY="libc.so.6")
        self.assertIn("ImportError: libc.so.6 has no locus_open", failed.stderr)

    def test_a_library_that_is_named_is_the_only_one_looked_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.environ["LOCUS_LIBRARY"], os.path.join(folder, "liblocus.so.0"))
            self.assertEqual(self.load(LD_LIBRARY_PATH=folder).stdout.strip(), locus.LIBRARY_VERSION)
            failed = self.load(LD_LIBRARY_PATH=folder, LOCUS_LIBRARY="/nowhere/liblocus.so.0")
        self.assertIn("(/nowhere/liblocus.so.0", failed.stderr)

    def test_a_link_to_the_command_leads_to_its_library(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("links", "prefix/bin", "prefix/lib"):
                os.makedirs(os.path.join(folder, name))
            shutil.copy("/bin/true", os.path.join(folder, "prefix/bin/locus"))
            os.symlink("../prefix/bin/locus", os.path.join(folder, "links/locus"))
            os.symlink(os.environ["LOCUS_LIBRARY"], os.path.join(folder, "prefix/lib/liblocus.so.0"))
            found = self.load(PATH=os.path.join(folder, "links"))
        self.assertEqual(found.stdout.strip(), locus.LIBRARY_VERSION, found.stderr)


if __name__ == "__main__":
    unittest.main()
