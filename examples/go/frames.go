// Prints what addresses of a .locus file are, as `locus lookup -p` does, with liblocus through cgo:
//
//	go build
//	./frames app.locus 0x1149
package main

// #cgo pkg-config: locus
// #include <locus.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// Frame is one function at a place. Its strings are Go's own: they stay after the next lookup and after the file.
type Frame struct {
	Function, Path string
	Line           uint32
}

// SymbolFile is an open file with one scratch: for one goroutine at a time.
type SymbolFile struct {
	path    string
	file    *C.struct_locus
	scratch *C.struct_locus_scratch
}

// Open opens a .locus file, which is the caller's to close.
func Open(path string) (*SymbolFile, error) {
	var failure C.struct_locus_error
	opened := &SymbolFile{path: path}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))

	if C.locus_open(name, nil, &opened.file, &failure) != C.LOCUS_OK {
		return nil, opened.failed(&failure)
	}
	if C.locus_scratch_new(opened.file, &opened.scratch, &failure) != C.LOCUS_OK {
		defer opened.Close()
		return nil, opened.failed(&failure)
	}
	return opened, nil
}

// Close frees what the file holds. Closing it twice is fine.
func (f *SymbolFile) Close() {
	C.locus_scratch_free(f.scratch)
	C.locus_close(f.file)
	f.file, f.scratch = nil, nil
}

// Lookup says what an address is: the functions it is in, innermost first.
func (f *SymbolFile) Lookup(address uint64) ([]Frame, error) {
	var result C.struct_locus_result
	var failure C.struct_locus_error

	if f.file == nil {
		return nil, fmt.Errorf("%s: %w", f.path, os.ErrClosed)
	}
	if C.locus_lookup(f.file, f.scratch, C.uint64_t(address), &result, &failure) != C.LOCUS_OK {
		return nil, f.failed(&failure)
	}
	frames := make([]Frame, 0, result.frame_count)
	for _, frame := range unsafe.Slice(result.frames, int(result.frame_count)) {
		name := frame.function
		if name.size == 0 {
			name = frame.linkage
		}
		frames = append(frames, Frame{text(name), join(text(frame.directory), text(frame.file)), uint32(frame.line)})
	}
	return frames, nil
}

func (f *SymbolFile) failed(failure *C.struct_locus_error) error {
	return errors.New(f.path + ": " + C.GoString(&failure.text[0]))
}

func text(borrowed C.struct_locus_string) string {
	return C.GoStringN(borrowed.data, C.int(borrowed.size))
}

func join(directory, name string) string {
	if directory == "" {
		return name
	}
	return strings.TrimSuffix(directory, "/") + "/" + name
}

func orUnknown(text string) string {
	if text == "" {
		return "??"
	}
	return text
}

func show(question string, frames []Frame) {
	if len(frames) == 0 {
		frames = []Frame{{}}
	}
	before := question + ": "
	for _, frame := range frames {
		fmt.Printf("%s%s at %s:%d\n", before, orUnknown(frame.Function), orUnknown(frame.Path), frame.Line)
		before = " (inlined by) "
	}
}

func run(path string, questions []string) error {
	file, err := Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, question := range questions {
		address, err := strconv.ParseUint(question, 0, 64)
		if err != nil {
			return err
		}
		frames, err := file.Lookup(address)
		if err != nil {
			return err
		}
		show(question, frames)
	}
	return nil
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: frames FILE.locus ADDRESS...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
