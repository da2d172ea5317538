//! Prints what addresses of a .locus file are, as `locus lookup -p` does, with liblocus in Rust:
//!
//!     rustc --edition 2021 frames.rs $(pkg-config --libs-only-L locus)
//!     ./frames app.locus 0x1149
//!
//! No crate is needed: the few structs of <locus.h> that a lookup takes are declared here.

use std::ffi::{CStr, CString, OsString};
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;
use std::ptr::{null, null_mut};

mod ffi {
    use super::*;

    #[repr(C)]
    pub struct Locus {
        _private: [u8; 0],
    }

    #[repr(C)]
    pub struct Scratch {
        _private: [u8; 0],
    }

    #[repr(C)]
    pub struct Error {
        pub text: [c_char; 256],
        pub offset: u64,
    }

    #[repr(C)]
    pub struct Text {
        pub data: *const u8,
        pub size: usize,
    }

    #[repr(C)]
    pub struct Interval {
        pub start: u64,
        pub end: u64,
        pub locid: u32,
        pub answer: c_int,
    }

    #[repr(C)]
    pub struct Frame {
        pub function: Text,
        pub linkage: Text,
        pub directory: Text,
        pub file: Text,
        pub line: u32,
        pub column: u32,
        pub language: u32,
        pub function_id: u32,
        pub file_id: u32,
        pub has_line: bool,
        pub inlined: bool,
        pub part: c_int,
        pub part_start: u64,
        pub offset: u64,
        pub reserved: [u64; 2],
    }

    #[repr(C)]
    pub struct Answer {
        pub interval: Interval,
        pub frames: *const Frame,
        pub frame_count: usize,
        pub reserved: [u64; 3],
    }

    #[link(name = "locus")]
    extern "C" {
        pub fn locus_open(path: *const c_char, options: *const u8, ret: *mut *mut Locus, error: *mut Error) -> c_int;
        pub fn locus_close(file: *mut Locus);
        pub fn locus_scratch_new(file: *const Locus, ret: *mut *mut Scratch, error: *mut Error) -> c_int;
        pub fn locus_scratch_free(scratch: *mut Scratch);
        pub fn locus_lookup(
            file: *mut Locus,
            scratch: *mut Scratch,
            address: u64,
            ret: *mut Answer,
            error: *mut Error,
        ) -> c_int;
    }
}

/// An open file. Threads share it: each lookup is through a `Cursor` of the thread's own.
pub struct SymbolFile {
    file: *mut ffi::Locus,
}

// liblocus lets any number of threads use a handle at once.
unsafe impl Send for SymbolFile {}
unsafe impl Sync for SymbolFile {}

/// One thread's place in a file, and what its last answer points to.
pub struct Cursor<'file> {
    file: *mut ffi::Locus,
    scratch: *mut ffi::Scratch,
    of: PhantomData<&'file SymbolFile>,
}

/// One function at a place; borrowed until the cursor's next use.
pub struct Frame<'answer> {
    pub function: &'answer [u8],
    pub directory: &'answer [u8],
    pub file: &'answer [u8],
    pub line: u32,
}

impl SymbolFile {
    pub fn open(path: &OsString) -> Result<SymbolFile, String> {
        let name = CString::new(path.as_bytes()).map_err(|error| error.to_string())?;
        let mut file = null_mut();
        call(|error| unsafe { ffi::locus_open(name.as_ptr(), null(), &mut file, error) })?;
        Ok(SymbolFile { file })
    }

    pub fn cursor(&self) -> Result<Cursor<'_>, String> {
        let mut scratch = null_mut();
        call(|error| unsafe { ffi::locus_scratch_new(self.file, &mut scratch, error) })?;
        Ok(Cursor { file: self.file, scratch, of: PhantomData })
    }
}

impl Drop for SymbolFile {
    fn drop(&mut self) {
        unsafe { ffi::locus_close(self.file) }
    }
}

impl Cursor<'_> {
    /// What an address is: the functions it is in, innermost first.
    pub fn lookup(&mut self, address: u64) -> Result<Vec<Frame<'_>>, String> {
        let mut answer = std::mem::MaybeUninit::<ffi::Answer>::uninit();
        call(|error| unsafe { ffi::locus_lookup(self.file, self.scratch, address, answer.as_mut_ptr(), error) })?;
        let answer = unsafe { answer.assume_init() };
        if answer.frame_count == 0 {
            return Ok(Vec::new());
        }
        let frames: &[ffi::Frame] = unsafe { std::slice::from_raw_parts(answer.frames, answer.frame_count) };
        Ok(frames.iter().map(frame_of).collect())
    }
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        unsafe { ffi::locus_scratch_free(self.scratch) }
    }
}

/// Calls a function of liblocus that returns a status and fills the error record.
fn call(function: impl FnOnce(*mut ffi::Error) -> c_int) -> Result<(), String> {
    let mut error = ffi::Error { text: [0; 256], offset: 0 };
    match function(&mut error) {
        0 => Ok(()),
        _ => Err(unsafe { CStr::from_ptr(error.text.as_ptr()) }.to_string_lossy().into_owned()),
    }
}

fn bytes(text: &ffi::Text) -> &[u8] {
    if text.size == 0 {
        return &[];
    }
    unsafe { std::slice::from_raw_parts(text.data, text.size) }
}

fn frame_of(frame: &ffi::Frame) -> Frame<'_> {
    let function = if frame.function.size != 0 { &frame.function } else { &frame.linkage };
    Frame {
        function: bytes(function),
        directory: bytes(&frame.directory),
        file: bytes(&frame.file),
        line: frame.line,
    }
}

fn or_unknown(text: &[u8]) -> String {
    String::from_utf8_lossy(if text.is_empty() { b"??" } else { text }).into_owned()
}

fn path_of(frame: &Frame) -> String {
    if frame.directory.is_empty() {
        return or_unknown(frame.file);
    }
    let directory = String::from_utf8_lossy(frame.directory);
    format!("{}/{}", directory.strip_suffix('/').unwrap_or(&directory), or_unknown(frame.file))
}

fn parse(question: &str) -> Result<u64, String> {
    let (digits, base) = match question.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (question, 10),
    };
    u64::from_str_radix(digits, base).map_err(|error| format!("{question}: {error}"))
}

fn run(path: &OsString, questions: &[OsString]) -> Result<(), String> {
    let file = SymbolFile::open(path)?;
    let mut cursor = file.cursor()?;
    for question in questions {
        let question = question.to_string_lossy();
        let frames = cursor.lookup(parse(&question)?)?;
        if frames.is_empty() {
            println!("{question}: ?? at ??:0");
        }
        for (i, frame) in frames.iter().enumerate() {
            let before = if i == 0 { format!("{question}: ") } else { " (inlined by) ".to_string() };
            println!("{before}{} at {}:{}", or_unknown(frame.function), path_of(frame), frame.line);
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (path, questions) = match arguments.split_first() {
        Some(split) => split,
        None => {
            eprintln!("usage: frames FILE.locus ADDRESS...");
            return ExitCode::from(2);
        }
    };
    match run(path, questions) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            ExitCode::from(1)
        }
    }
}
