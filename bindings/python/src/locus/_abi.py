"""The structs and functions of <locus.h> as ctypes has them. The tests hold both against the header itself.

Each struct has its C name, and its fields stand in the header's order.
"""
from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint8, c_uint16, c_uint32
from ctypes import c_uint64, c_void_p
from typing import Any


class locus_error(Structure):
    _fields_ = [("text", c_char * 256), ("offset", c_uint64)]


class locus_string(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class locus_open_options(Structure):
    _fields_ = [("memory_max_bytes", c_size_t), ("reserved", c_void_p * 7)]


class locus_interval(Structure):
    _fields_ = [("start", c_uint64), ("end", c_uint64), ("locid", c_uint32), ("answer", c_int)]


class locus_frame(Structure):
    _fields_ = [("function", locus_string), ("linkage", locus_string), ("directory", locus_string),
                ("file", locus_string), ("line", c_uint32), ("column", c_uint32), ("language", c_uint32),
                ("function_id", c_uint32), ("file_id", c_uint32), ("has_line", c_bool), ("inlined", c_bool),
                ("part", c_int), ("part_start", c_uint64), ("offset", c_uint64), ("reserved", c_uint64 * 2)]


class locus_result(Structure):
    _fields_ = [("interval", locus_interval), ("frames", POINTER(locus_frame)), ("frame_count", c_size_t),
                ("reserved", c_uint64 * 3)]


class locus_alternate_info(Structure):
    _fields_ = [("start", c_uint64), ("size", c_uint64), ("function_id", c_uint32), ("kind", c_int)]


class locus_function_info(Structure):
    _fields_ = [("name", locus_string), ("linkage", locus_string), ("decl_file_id", c_uint32),
                ("decl_line", c_uint32), ("language", c_uint32), ("reserved", c_uint32 * 5)]


class locus_file_info(Structure):
    _fields_ = [("directory", locus_string), ("name", locus_string)]


class locus_function_range(Structure):
    _fields_ = [("start", c_uint64), ("end", c_uint64), ("function_id", c_uint32), ("inlined", c_bool),
                ("part", c_int), ("part_start", c_uint64), ("reserved", c_uint64 * 2)]


class locus_identity(Structure):
    _fields_ = [("bytes", c_uint8 * 16)]


class locus_counter_info(Structure):
    _fields_ = [("id", c_uint32), ("value", c_uint64)]


class locus_base_info(Structure):
    _fields_ = [("name", locus_string), ("base", c_uint64), ("size", c_uint64)]


class locus_input_info(Structure):
    _fields_ = [("role", c_uint32), ("name", locus_string), ("size", c_uint64), ("build_id", locus_string),
                ("digest_kind", c_uint32), ("digest", locus_string)]


class locus_segment_info(Structure):
    _fields_ = [("address", c_uint64), ("offset", c_uint64), ("file_size", c_uint64), ("memory_size", c_uint64),
                ("flags", c_uint32)]


class locus_info(Structure):
    _fields_ = [("build_id", locus_string), ("elf_machine", c_uint16), ("elf_type", c_uint16), ("elf_class", c_uint8),
                ("elf_data", c_uint8), ("rules_epoch", c_uint32), ("tool", locus_string), ("options", locus_string),
                ("coverage", POINTER(locus_counter_info)), ("coverage_count", c_size_t),
                ("dropped", POINTER(locus_counter_info)), ("dropped_count", c_size_t),
                ("bases", POINTER(locus_base_info)), ("base_count", c_size_t),
                ("inputs", POINTER(locus_input_info)), ("input_count", c_size_t),
                ("segments", POINTER(locus_segment_info)), ("segment_count", c_size_t)]


class locus_function_place(Structure):
    _fields_ = [("start", c_uint64), ("count", c_uint32)]


class locus_section_info(Structure):
    _fields_ = [("id", c_uint16), ("name", c_char_p), ("required", c_bool), ("block_count", c_uint32),
                ("entry_count", c_uint64), ("index_size", c_uint64), ("data_size", c_uint64), ("raw_size", c_uint64),
                ("reserved", c_uint64 * 1)]


take_range = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(locus_function_range))

_locus = c_void_p
_scratch = c_void_p
_error = POINTER(locus_error)
_status = c_int

# What each function returns and takes.
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "locus_open": (_status, [c_char_p, POINTER(locus_open_options), POINTER(_locus), _error]),
    "locus_open_in_store": (_status, [c_char_p, POINTER(c_uint8), c_size_t, POINTER(locus_open_options), POINTER(_locus),
                                      _error]),
    "locus_open_memory": (_status, [c_void_p, c_size_t, POINTER(locus_open_options), POINTER(_locus), _error]),
    "locus_close": (None, [_locus]),
    "locus_scratch_new": (_status, [_locus, POINTER(_scratch), _error]),
    "locus_scratch_free": (None, [_scratch]),
    "locus_find": (_status, [_locus, _scratch, c_uint64, POINTER(locus_interval), _error]),
    "locus_frames": (_status, [_locus, _scratch, c_uint32, POINTER(locus_result), _error]),
    "locus_lookup": (_status, [_locus, _scratch, c_uint64, POINTER(locus_result), _error]),
    "locus_interval_at": (_status, [_locus, _scratch, c_uint32, POINTER(locus_interval), _error]),
    "locus_alternates": (_status, [_locus, _scratch, c_uint64, POINTER(POINTER(locus_alternate_info)),
                                   POINTER(c_size_t), _error]),
    "locus_interval_count": (c_uint32, [_locus]),
    "locus_function_count": (c_uint32, [_locus]),
    "locus_file_count": (c_uint32, [_locus]),
    "locus_alternate_count": (c_uint32, [_locus]),
    "locus_function_at": (_status, [_locus, _scratch, c_uint32, POINTER(locus_function_info), _error]),
    "locus_file_at": (_status, [_locus, _scratch, c_uint32, POINTER(locus_file_info), _error]),
    "locus_alternate_at": (_status, [_locus, _scratch, c_uint32, POINTER(locus_alternate_info), _error]),
    "locus_function_ranges": (_status, [_locus, _scratch, POINTER(c_uint32), c_size_t, take_range, c_void_p, _error]),
    "locus_function_places": (_status, [_locus, _scratch, POINTER(locus_string), c_size_t,
                                        POINTER(locus_function_place), _error]),
    "locus_identity": (locus_identity, [_locus]),
    "locus_file_size": (c_uint64, [_locus]),
    "locus_format_version": (c_uint32, [_locus]),
    "locus_memory_size": (c_size_t, [_locus]),
    "locus_coverage_name": (c_char_p, [c_uint32]),
    "locus_dropped_name": (c_char_p, [c_uint32]),
    "locus_info": (_status, [_locus, POINTER(POINTER(locus_info)), _error]),
    "locus_address_of_offset": (_status, [_locus, c_uint64, POINTER(c_uint64), _error]),
    "locus_address_of_runtime": (_status, [_locus, c_uint64, c_uint64, POINTER(c_uint64), _error]),
    "locus_section_count": (c_uint32, [_locus]),
    "locus_section_at": (_status, [_locus, c_uint32, POINTER(locus_section_info), _error]),
    "locus_verify": (_status, [_locus, c_int, _error]),
    "locus_version": (c_uint, []),
    "locus_version_text": (c_char_p, []),
}

# Left out: a hint that saves less than a call from Python costs, and texts that Python's own names say.
NOT_BOUND = ["locus_prefetch", "locus_answer_name", "locus_coverage_text", "locus_dropped_text", "locus_status_text"]


def text_of(string: locus_string) -> str | None:
    """The text of a borrowed string, None where it is absent. Bytes that are no UTF-8 become what os.fsencode undoes."""
    data = bytes_of(string)
    return data.decode("utf-8", "surrogateescape") if data is not None else None


def bytes_of(string: locus_string) -> bytes | None:
    return ctypes.string_at(string.data, string.size) if string.size else None
