/* The table of forms. Lines are compared with their patterns, compiled by PCRE2. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "cmd/symbolize/text_forms.h"

#include <assert.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

const char locus_forms_version[] = LOCUS_VERSION;

#define HEX        "0x[0-9a-f]+"
#define ANY_HEX    "0x[0-9a-fA-F]+"
#define WORD_START "(?<![^\\s(])"
/* Blanks may be there, as in text that was copied from a terminal. Only in front of all of them are they compared. */
#define LINE_END "(?=\\r?$|(?<![ \\t])[ \\t]++\\r?$)"
#define COLOURS  "(?:\\x1b(?:\\[[0-9;:]*+[mK]|\\(B))*+"
/*
 * Any text, up to what follows in the pattern. Where that does not come behind this start of the pattern, it does not
 * come behind a later one, so no other start is tried: a line of thousands of them would be searched from each. So what
 * stands before it in the pattern must be needed for a match, and what follows must not say what came before.
 */
#define UP_TO "(*COMMIT).*?"
/* The path of a module within brackets. It may have pairs of its own, as in "app (1)". */
#define PATH "/(?:[^()]|\\([^()]*+\\))+?"
/* What may stand behind it, of a file that was deleted or replaced while a process had it. */
#define DELETED  "(?<deleted> \\(deleted\\))?+"
#define BUILD_ID "(?: \\(BuildId: (?<build_id>[0-9a-f]++)\\))"
/* A function that gcc or LLVM has made of one, whose name has a dot as those of files do. */
#define CLONE "[\\w$]+\\.(?:part|isra|constprop|cold|lto_priv|llvm)\\b(?!\\S*/)"
/* The path of a mapped file. */
#define MAPPED "(?<module>/(?!/).*?)" DELETED
/* A place in a kernel: function+0x10/0x40 [module build-id]. SystemTap writes [kernel], and [/path] of programs. */
#define KERNEL_PLACE                                                                          \
	"(?<symbol>[A-Za-z_][\\w.$]*+)\\+(?<delta>" HEX ")/(?<size>" HEX ")"                  \
	"(?<rest> \\[(?!kernel\\])(?<module>[\\w-]++)(?: (?<build_id>[0-9a-f]{16,}+))?\\])?+" \
	"(?! \\[/)(?! ?\\((?!unreliable\\)|[A-Z]{1,3}\\)|\\)))"
/* What kernels of various machines and versions write before the place where they are, and not before a caller's. */
#define KERNEL_ADDRESS "\\[<[0-9a-f]++>\\]"
#define KERNEL_INSTRUCTION                                                        \
	"(?:RIP: [0-9a-f]{4}:(?:" KERNEL_ADDRESS "  " KERNEL_ADDRESS " )?|"       \
	"RIP  " KERNEL_ADDRESS " |IP: (?:" KERNEL_ADDRESS " )?|EIP: |EIP is at |" \
	"e?pc : |epc   : [0-9a-f]++ |(?:PC|pc) is at |PC: " KERNEL_ADDRESS        \
	" |T?PC: <|IAOQ\\[[01]\\]: |NIP (?:\\[[0-9a-f]++\\] )?|ERA: [0-9a-f]++ |" \
	"Krnl PSW : [0-9a-f]++ [0-9a-f]++ \\(|interrupt: [0-9a-f]++ at |"         \
	"BUG: KFENCE: [\\w-]++ (?:read|write) in )"

/* What stands in glog's lines behind "@ ", where they are not complete. Abseil has the size of the frame, too. */
#define GLOG_PLACE                                                                                 \
	" *+(?<address>" HEX                                                                       \
	")(*COMMIT)(?: +(?:\\d++|\\(unknown\\))(?=  ))?)(?!.* at |.*\\(inlined\\))(?: +(?<symbol>" \
	"\\S.*?))?" LINE_END

/* What may stand behind glibc's place where addr2line was asked for it, by Godot or RocksDB, and did not know it. */
#define UNKNOWN_SOURCE "(?: \\(\\?\\?:[0?]\\)| \\?\\?\\t\\?\\?:[0?])?+"

/* What eu-stack -a writes behind addresses: whether they are in a caller. */
#define EU_STACK_CALLER "(?: - 1(?!\\S)|    )?+"

/* Behind a path: it is no source's, with the number of a line. */
#define NO_LINE_NUMBER "(?<!:\\d)(?<!:\\d\\d)(?<!:\\d{3})(?<!:\\d{4})(?<!:\\d{5})"

/* What Istio writes behind a line of Envoy's. */
#define ENVOY_END "(?:(?=\\tthread=\\d++\\s*$)|" LINE_END ")"

/* Where DPDK says that a module is loaded. */
#define DPDK_BASE "[0-9a-f]{2,13}000"

/*
 * Where glibc's place begins and ends: at a word and a line; but DPDK, up to 21.11, puts it in brackets. A line in
 * which others stand before it is Dovecot's.
 */
#define GLIBC_START                                                    \
	"^[^>]*+(?:(?<![0-9a-f]{4}\\] -)>[^>]*+)*+> (*COMMIT)(*FAIL)|" \
	"(?:(?<=: \\[)|" WORD_START "(?!\\[[./]))"
#define GLIBC_END "(?=\\]?+" LINE_END ")"

/* What Dovecot makes of glibc's places: a line with arrows between them, in which a program may have its title. */
#define DOVECOT_PLACE(place) "(?<module>[^\\s()[\\]]++)(?: \\[[^[\\]]*+\\])?\\(" place "\\) \\[(?<address>" HEX ")\\]"
#define DOVECOT(place)       "(?|" WORD_START DOVECOT_PLACE(place) "(?= -> )|(?<=\\] -> )" DOVECOT_PLACE(place) "(?! \\())"

/* What Redis writes, by glibc too, before the place of the instruction that failed. */
#define GLIBC_HEADER "^EIP:\\s*$"

/*
 * What stands in perf's lines behind words that look like addresses, and behind no address: a process may be called dd,
 * and has a number, behind which come that of a processor, "[003]", or the time.
 */
#define PERF_NO_SYMBOL "(?!\\S+: |[\\[\\d]\\d)"

/*
 * What stands in perf's lines before the module. A sample without a stack has its place in a column of 17 characters,
 * where frames of a stack have a tab. Of a branch, the line has two places, and is none of these: so behind the symbol
 * the first module must follow, and no later one.
 */
#define PERF_PLACE                                                                                     \
	"(?:^(?<alone> (?=[0-9a-f ]{15}[0-9a-f] ) *+)|" WORD_START                                     \
	")(?<address>(?<= {8})[0-9a-f]{1,3}|[0-9a-f]{4,16}) " PERF_NO_SYMBOL "(?<symbol>\\S" UP_TO ")" \
	"(?:\\+(?<delta>" HEX ")|) (?=\\((?:/|\\[[^()\\]; ]*+\\][^()]*+\\)))(*COMMIT)"

/* The line before a stack, or the start of the only frame's; or what bpftrace prints of a map before a stack in it. */
#define PERF_HEADER "^ *\\S.*? (?<process>\\d+)(?:/\\d+)? +(?:\\[\\d+\\] +)?\\d+\\.\\d+: |[[,] ?\\r?$"

/*
 * A pattern starts with a fixed text or at the start of a word, and its end is fixed by the text before it, so that no
 * line makes it start over from everywhere. The output of a form does not match its own pattern, so that text that was
 * symbolized once stays as it is.
 *
 * No group is repeated lazily and maybe not at all, as by ")*?": there, the compiler of PCRE2 10.42 reads through NULL
 * where one of its allocations fails, which one depends on what stands before.
 */
static const struct form table[] = {
	/*
	 * valgrind's stacks. It always loads a program at the same place, and its addresses are already within the
	 * calls. Any line that is none of a stack's, and does not end with a blank, is before the next one.
	 */
	{
		.name = "valgrind",
		.kind = FORM_FRAME,
		.address = ADDRESS_UNDER_VALGRIND,
		.calls = CALLS_STEPPED,
		.header = "\\S\\r?$",
		.needs = " (in /",
		.pattern = "(?:(?<first>at)|by) (?<address>0x[0-9A-F]+): (?<symbol>\\S" UP_TO ") \\(in (?<module>" PATH
			   ")\\)" LINE_END,
		.frame = "[{first}|by] {address}: {function} [({source})|(in {module})]",
	},
	/* Those of massif and ms_print, a line of which has numbers that are for one frame. */
	{
		.name = "massif",
		.kind = FORM_FRAME,
		.address = ADDRESS_UNDER_VALGRIND,
		.calls = CALLS_NONE,
		.is_last_resort = true,
		.needs = " (in /",
		.pattern = WORD_START "(?<address>0x[0-9A-F]+): (?<symbol>\\S" UP_TO ") \\(in (?<module>" PATH
				      ")\\)" LINE_END,
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/*
	 * Those of bcc's tools that use libbpf: numbers have two columns. What LLVM prints, below, has names without
	 * offsets.
	 */
	{
		.name = "libbpf tools",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_BEHIND_FIRST,
		.is_renumbered = true,
		.needs = "(/",
		.pattern = "^(?<as_is> +)#(?<number>\\d  |\\d{2} (?!0x[0-9a-f]{16} \\())(?<address>0x[0-9a-f]{16}) "
			   "(?:(?<symbol>[^\\s(]\\S*)\\+(?<delta>" HEX ") )?+(?<rest>\\((?<module>" PATH
			   ")\\+(?<offset>" HEX ")\\))" LINE_END,
		.frame = "{as_is}#{number}{address} {function}{into} [{source}|{rest}]",
		.inlined = "{as_is}#{number}{address} {function} (inlined)[ {source}]",
	},
	/* LLVM's own stacks, as clang writes them when it crashes: return addresses, always of so many digits. */
	{
		.name = "llvm",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_ALL,
		.is_renumbered = true,
		.needs = "(/",
		.pattern = "#(?<number>\\d+) (?<address>0x[0-9a-f]{16}) (?!in )(?:(?<symbol>[^\\s(]" UP_TO ") )?"
			   "(?<rest>\\((?<module>" PATH ")\\+(?<offset>" HEX ")\\))" LINE_END,
		.frame = "#{number} {address} {function} [{source}|{rest}]",
	},
	/* The sanitizers of gcc and clang, whose addresses are already within the calls. */
	{
		.name = "sanitizer",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_STEPPED,
		.is_renumbered = true,
		.needs = "(/",
		.pattern = "#(?<number>\\d+) (?<address>" HEX ") (?:(?<!0x[0-9a-f]{16} )| |in (?<symbol>" UP_TO ") )"
			   "(?<rest>\\((?<module>" PATH ")\\+(?<offset>" HEX ")\\)" BUILD_ID "?)" LINE_END,
		.frame = "#{number} {address} in {function} [{source}|{rest}]",
	},

	/* The same of ThreadSanitizer, which prints neither addresses at run time nor folders of modules. */
	{
		.name = "thread sanitizer",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_STEPPED,
		.is_renumbered = true,
		.needs = " <null> (",
		.pattern = "#(?<number>\\d+) (?!0x)(?<symbol>\\S" UP_TO ") <null> "
			   "(?<rest>\\((?<module>[^()]+)\\+(?<offset>" HEX ")\\)" BUILD_ID "?)" LINE_END,
		.frame = "#{number} {function} [{source}|<null>] {rest}",
	},

	/*
	 * Android's tombstones; libunwindstack's addresses are already within the calls. Of a library in a package it
	 * names both, "/data/base.apk!liba.so".
	 */
	{
		.name = "android",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_NONE,
		.needs = " pc ",
		.pattern = "(?<as_is>#(?<number>\\d+)  ?pc (?<offset>[0-9a-f]{8,16})  (?=/)(*COMMIT)"
			   "(?:[^()]*!)?+(?<module>[^()]*[^()\\s])"
			   "(?: \\(offset " HEX "\\))?)(?: \\((?<symbol>(?!BuildId).*?)\\+\\d+\\))?"
			   "(?<rest>" BUILD_ID ")?+" LINE_END,
		.frame = "{as_is} ({function})[{rest}][ {source}]",
	},
	/*
	 * Dart's, of code that was compiled ahead of time and whose debug information was split off, as Flutter's is:
	 * addresses of the file that are already within the calls, and the file that the machine has loaded, or the
	 * start of what is in it. Some lines before the stack is the build-id.
	 */
	{
		.name = "dart",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_NONE,
		.module = "libapp.so",
		.needs = " virt ",
		.pattern = "(?<as_is>#(?<number>\\d+) abs [0-9a-f]{8,16} virt (?<offset>[0-9a-f]{8,16}) "
			   "(?:_kDart\\w++\\+" HEX "|/[^()]*[^()\\s]))" LINE_END,
		.frame = "{as_is} ({function})[ {source}]",
	},
	{
		.name = "dart build-id",
		.kind = FORM_MODULE,
		.module = "libapp.so",
		.needs = "build_id: '",
		.pattern = "\\bbuild_id: '(?<build_id>[0-9a-f]{16,128})'" LINE_END,
	},
	/* Firefox's, as it prints them and as its fix-stacks leaves them: return addresses, from number 1 on. */
	{
		.name = "firefox",
		.kind = FORM_FRAME,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_ALL,
		.needs = "0x",
		.pattern = "(?<as_is>#\\d{2,}: )(?<symbol>\\S" UP_TO
			   ")(?<rest>(?|\\[(?<module>[^\\[\\]]+) \\+(?<offset>" HEX
			   ")\\]| \\((?<module>/[^()]+) \\+ (?<offset>" HEX ")\\)))" LINE_END,
		.frame = "{as_is}{function}[ ({source})|{rest}]",
	},
	/* systemd-coredump's stacks. */
	{
		.name = "systemd-coredump",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_BEHIND_FIRST,
		.needs = " + 0x",
		.pattern = "(?<as_is>#(?<number>\\d+) +(?<address>" HEX ")) (?<symbol>\\S" UP_TO ") "
			   "(?<rest>\\((?<module>[^()]+?) \\+ (?<offset>" HEX ")\\))" LINE_END,
		.frame = "{as_is} {function} {rest}[ at {source}]",
	},
	{
		.name = "systemd-coredump module",
		.kind = FORM_MODULE,
		.needs = "build-id",
		.pattern = "\\bModule (?<module>[^\\s,]+)(?: \\S+){0,8}(?: with build-id |, "
			   "build-id=)(?<build_id>[0-9a-f]+)" LINE_END,
	},
	/* gdb's. */
	{
		.name = "gdb",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_BEHIND_FIRST,
		.is_renumbered = true,
		.needs = " ()",
		.pattern = "#(?<number>\\d+ +)(?<address>" HEX ") in (?<symbol>\\S" UP_TO ") \\(\\)"
			   "(?<rest> from (?<module>\\S(?:.*\\S)?))?+" LINE_END,
		.frame = "#{number}{address} in {function}[ at {source}|{rest}]",
	},
	/*
	 * eu-stack's, with modules (-m) and without: numbers have two columns, and addresses all of their digits, and
	 * maybe a mark of callers (-a). Those that have a function may have its place in the next line (-s), or have
	 * inlined functions before them (-i).
	 */
	{
		.name = "eu-stack",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_BEHIND_FIRST,
		.is_renumbered = true,
		.needs = " 0x",
		.pattern = "^#(?<number>\\d(?:  |\\d+ ))(?<as_is>(?<address>0x(?:[0-9a-f]{8}){1,2})" EU_STACK_CALLER
			   ")(?<rest> - (?<module>[^\\s[].*?))?" LINE_END,
		.frame = "#{number}{as_is} {function}[{rest}][ at {source}]",
	},
	{
		.name = "eu-stack complete",
		.kind = FORM_COMPLETE,
		.is_renumbered = true,
		.is_last_resort = true,
		.needs = " 0x",
		.pattern = "^#(?<number>\\d(?:  |\\d+ ))0x(?:[0-9a-f]{8}){1,2}" EU_STACK_CALLER " (?!in |- |[( ])",
	},
	/*
	 * lldb's. A symbol without its place may be one that lldb made up, as ___lldb_unnamed_symbol12. At its start
	 * lldb writes no offset.
	 */
	{
		.name = "lldb",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_BEHIND_FIRST,
		.is_renumbered = true,
		.needs = "frame #",
		.pattern = "^(?<first>  \\* |    )frame #(?<number>\\d+): (?<address>" HEX ") (?<module>[^\\s`][^`]*?)"
			   "(?:`(?|(?<symbol>\\S.*?) \\+ \\d+|(?<symbol>[^\\s(=]++(?:\\([^()=]*+\\))?+)))?" LINE_END,
		.frame = "[{first}|    ]frame #{number}: {address} {module}`{function}[ at {source}]",
	},
	{
		.name = "lldb complete",
		.kind = FORM_COMPLETE,
		.is_renumbered = true,
		.is_last_resort = true,
		.needs = "frame #",
		.pattern = "^(?:  \\* |    )frame #(?<number>\\d+)(?=: 0x)",
	},
	/* Those of gfortran's programs, whose addresses are already within the calls. */
	{
		.name = "fortran",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.is_renumbered = true,
		.needs = " in ?\??",
		.pattern = "#(?<number>\\d+ +)(?<address>" HEX ") in \\?\\?\\?" LINE_END,
		.frame = "#{number}{address} in {function}[\n\tat {source}]",
	},
	/*
	 * Those of Intel's Fortran, where they lack a line: Image, PC, Routine, Line and Source, of which the first has
	 * 17 characters at most. Programs are at fixed addresses, unless they are told otherwise.
	 */
	{
		.name = "intel fortran",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = "Unknown  Unknown",
		.pattern = "(?<![^\\s\"])(?<as_is>(?=\\S[^\"]{16}  )(?<module>[^\\s\"]++) ++(?<address>[0-9A-F]{16})  )"
			   "(?<symbol>\\S++)(?<rest> +Unknown  Unknown)" LINE_END,
		.frame = "{as_is}{function}[  {source}|{rest}]",
	},
	/*
	 * Frames of sanitizers, LLVM and gdb that are complete, or cannot be completed; frames before them may change
	 * their numbers.
	 */
	{
		.name = "complete",
		.kind = FORM_COMPLETE,
		.is_renumbered = true,
		.is_last_resort = true,
		.needs = " 0x",
		.pattern = "#(?<number>\\d+ +)" HEX " +(?:in |\\()",
	},
	{
		.name = "complete of LLVM",
		.kind = FORM_COMPLETE,
		.is_renumbered = true,
		.is_last_resort = true,
		.needs = " 0x",
		.pattern = "#(?<number>\\d+ +)" HEX " +(?!in |\\()\\S" UP_TO ":\\d+:\\d+" LINE_END,
	},
	{
		.name = "complete without address",
		.kind = FORM_COMPLETE,
		.is_renumbered = true,
		.is_last_resort = true,
		.pattern = "#(?<number>\\d+ +)(?!0x)(?:(?>\\S.*? \\().*\\) at |"
			   "\\S" UP_TO ":\\d+ \\([^()]*\\+" HEX "\\)" BUILD_ID "?" LINE_END ")",
	},

	/* Where gdb says that a program stopped, or a thread is (info threads): the place itself, outside of stacks. */
	{
		.name = "gdb place",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.is_head_once = true,
		.is_last_resort = true,
		.needs = " ()",
		.pattern = "(?:^|(?<=[\\w.),\"] ))(?<as_is>(?<address>" HEX ") in )(?<symbol>\\S" UP_TO ") \\(\\)"
			   "(?<rest> from (?<module>\\S(?:.*\\S)?))?+" LINE_END,
		.frame = "{as_is}{function}[ at {source}|{rest}]",
	},
	/* What gdb's user called interrupts the program, too. */
	{
		.name = "gdb signal",
		.kind = FORM_SIGNAL,
		.is_renumbered = true,
		.needs = " called",
		.pattern = "#(?<number>\\d+ +)<(?:signal handler called|function called from gdb)>",
	},
	/*
	 * The native frames in what Java's virtual machine writes when it crashes (hs_err_pid*.log). Frames of Java
	 * stand between them. Where the machine has read the debug information itself, the source is there already.
	 */
	{
		.name = "java",
		.kind = FORM_FRAME,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_BEHIND_FIRST,
		.is_headed = true,
		.needs = "  [",
		.pattern = WORD_START "(?<as_is>[CV]  \\[(?<module>[^\\s\\]+]++)\\+(?<offset>" HEX
				      ")\\])(?:  (?<symbol>\\S.*?)\\+" HEX ")?+" LINE_END,
		.header = "^(?:# Problematic frame:|Native frames: )",
		.frame = "{as_is}  {function}{into}[  ({source})]",
		.inlined = "{as_is}  {function} (inlined)[  ({source})]",
	},
	/* Those of Breakpad's minidump_stackwalk and of its like in Rust, which may have stepped back into calls. */
	{
		.name = "minidump",
		.kind = FORM_FRAME,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_BEHIND_FIRST,
		.is_renumbered = true,
		.needs = " + 0x",
		.pattern = "(?:^|(?<=^ ))(?<number>\\d++  )(?<module>[^\\s!()]++) \\+ (?<offset>" HEX ")" LINE_END,
		.frame = "{number}{module}!{function}{into}[ at {source}]",
	},
	/* Their frames that are complete, or in no module; frames before them may change their numbers. */
	{
		.name = "minidump complete",
		.kind = FORM_COMPLETE,
		.is_renumbered = true,
		.needs = "  ",
		.pattern = "(?:^|(?<=^ ))(?<number>\\d++  )(?:[^\\s!]++!.* \\+ " HEX "\\]?|" HEX ")" LINE_END,
	},
	/*
	 * strace's, with -k: callers, but for the place where a signal came. Where libdw knows of no function, there is
	 * nothing between the brackets, or "+0x0".
	 */
	{
		.name = "strace",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FILE,
		.calls = CALLS_ALL,
		.needs = " > /",
		.pattern = "^(?<as_is> > (?<module>" PATH ")" DELETED ")\\((?:(?![^()]*\\)(?! \\[))(?:(?<symbol>"
			   "\\S.*?)|)\\+" HEX "|)\\)(?<rest> \\[(?<offset>" HEX ")\\])" LINE_END,
		.header = "--- SIG[A-Z0-9+_]++ \\{.*\\} ---\\s*$",
		.frame = "{as_is}({function}{into}){rest}[ at {source}]",
		.inlined = "{as_is}({function}){rest}[ at {source}]",
	},
	/* The frames of C in what Python, since 3.14, writes when it crashes: as glibc's. */
	{
		.name = "python",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_ALL,
		.needs = "\", at +0x",
		.pattern = "(?<as_is>Binary file \"(?<module>[^\"]++)\", at )\\+(?<offset>" HEX
			   ")(?<rest> \\[(?<address>" HEX ")\\])" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	{
		.name = "python with functions",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.needs = "Binary file \"",
		.pattern = "(?<as_is>Binary file \"(?<module>[^\"]++)\", at )(?<symbol>[^\\s+]++)\\+(?<delta>" HEX
			   "|0)(?<rest> \\[(?<address>" HEX ")\\])" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	{
		.name = "python without offsets",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = "\" [0x",
		.pattern = "(?<as_is>Binary file \"(?<module>[^\"]++)\")(?<rest> "
			   "\\[(?<address>0x[0-9a-f]{5,16})\\])" LINE_END,
		.frame = "{as_is}, at {function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}, at {function}{rest}[ at {source}]",
	},
	/*
	 * glibc's backtrace_symbols: an address of the module, or an offset in an exported function. MongoDB writes
	 * them with large digits.
	 */
	{
		.name = "glibc",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.has_titles = true,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_ALL,
		.header = GLIBC_HEADER,
		.needs = "(+0x",
		.pattern = GLIBC_START "(?<module>[^\\s()]++)\\(\\+(?<offset>" ANY_HEX
				       ")\\)(?<rest> ?\\[(?<address>" ANY_HEX ")\\])" UNKNOWN_SOURCE GLIBC_END,
		.frame = "{module}({function}{into}){rest}[ at {source}]",
		.inlined = "{module}({function}){rest}[ at {source}]",
	},
	{
		.name = "glibc with functions",
		.kind = FORM_FRAME,
		.has_titles = true,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.header = GLIBC_HEADER,
		.needs = "[0x",
		.pattern = GLIBC_START "(?<!^ > )(?<module>[^\\s()]++)\\((?<symbol>[^\\s()+]++)\\+(?<delta>" ANY_HEX
				       "|0)\\)(?<rest> ?\\[(?<address>" ANY_HEX ")\\])" UNKNOWN_SOURCE GLIBC_END,
		.frame = "{module}({function}{into}){rest}[ at {source}]",
		.inlined = "{module}({function}){rest}[ at {source}]",
	},
	/* What MySQL and others make of that: functions are demangled, and so can be found by the address alone. */
	{
		.name = "glibc with demangled functions",
		.kind = FORM_FRAME,
		.is_demangled = true,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = ") [0x",
		.pattern = "^ > (*COMMIT)(*FAIL)|" WORD_START
			   "(?<module>[^\\s()[\\]/]*+/[^\\s()[\\]]*+)\\((?![^\\s()+]*+\\+(?:" HEX
			   "|0)\\))(?<symbol>\\S" UP_TO ")\\+(?<delta>" HEX
			   "|0)\\)(?<rest> \\[(?<address>0x[0-9a-f]{5,16})\\])" UNKNOWN_SOURCE LINE_END,
		.frame = "{module}({function}{into}){rest}[ at {source}]",
		.inlined = "{module}({function}){rest}[ at {source}]",
	},
	/*
	 * The same of a program that is not position-independent, in a function that is not exported: backtrace_symbols
	 * writes empty brackets there, as strace does, and backtrace_symbols_fd none. No program is loaded below
	 * 0x10000.
	 */
	{
		.name = "glibc without offsets",
		.kind = FORM_FRAME,
		.has_titles = true,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.header = GLIBC_HEADER,
		.needs = "[0x",
		.pattern = "^ > (*COMMIT)(*FAIL)|" GLIBC_START
			   "(?<module>(?:(?!::)[^\\s()])++(?=\\(\\))|[^\\s()[\\]/]*+/[^\\s()[\\]]*+" NO_LINE_NUMBER
			   ")(?:\\(\\))?"
			   "(?<rest> ?\\[(?<address>0x[0-9a-f]{5,16})\\])" UNKNOWN_SOURCE GLIBC_END,
		.frame = "{module}({function}{into}){rest}[ at {source}]",
		.inlined = "{module}({function}){rest}[ at {source}]",
	},
	/*
	 * The same of a program that is linked statically, and so does not know its path: it must be the only one that
	 * is given.
	 */
	{
		.name = "glibc without module",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.header = GLIBC_HEADER,
		.needs = "[0x",
		.pattern = "^(?<rest>\\[(?<address>0x[0-9a-f]{5,16})\\])" LINE_END,
		.frame = "({function}{into}){rest}[ at {source}]",
		.inlined = "({function}){rest}[ at {source}]",
	},
	/* The same in a line of Dovecot's, which has all frames of a stack with arrows between them. */
	{
		.name = "dovecot",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_ALL,
		.needs = "] -> ",
		.pattern = DOVECOT("\\+(?<offset>" HEX ")"),
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	{
		.name = "dovecot with functions",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.needs = "] -> ",
		.pattern = DOVECOT("(?<symbol>[^\\s()+]++)\\+(?<delta>" HEX "|0)"),
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/*
	 * The same in Ruby's reports of crashes, of functions that it has no name for: the address in the module, which
	 * has the same place in a page, or, of a module without symbols, that at run time again.
	 */
	{
		.name = "ruby",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_ALL,
		.needs = ") [0x",
		.pattern = WORD_START "(?<module>[^\\s()]++)\\((?!(" HEX ")\\) \\[\\g{-1}\\])"
				      "(?=0x[0-9a-f]*([0-9a-f]{3})\\) \\[0x[0-9a-f]*\\g{-1}\\])"
				      "(?<offset>" HEX ")\\)(?<rest> \\[(?<address>" HEX ")\\])" LINE_END,
		.frame = "{module}({function}{into}){rest}[ at {source}]",
		.inlined = "{module}({function}){rest}[ at {source}]",
	},
	{
		.name = "ruby without symbols",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = ") [0x",
		.pattern = WORD_START "(?<module>[^\\s()]++)\\((?=(" HEX ")\\) \\[\\g{-1}\\])" HEX
				      "\\)(?<rest> \\[(?<address>" HEX ")\\])" LINE_END,
		.frame = "{module}({function}{into}){rest}[ at {source}]",
		.inlined = "{module}({function}){rest}[ at {source}]",
	},
	/*
	 * What PyTorch makes of glibc's: where there is no function, the offset is that in the module. Functions whose
	 * names it has demangled are not found by these.
	 */
	{
		.name = "pytorch",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_ALL,
		.needs = "<unknown function> + 0x",
		.pattern = "(?<as_is>\\bframe #\\d++: )<unknown function> \\+ (?<offset>" HEX ")(?<rest> \\("
			   "(?<address>" HEX ") in (?<module>" PATH "|[^()\\s/][^()]*)\\))" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	{
		.name = "pytorch with functions",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.needs = " + 0x",
		.pattern = "(?<as_is>\\bframe #\\d++: )(?<symbol>[A-Za-z_][\\w.$]*+) \\+ (?<delta>" HEX ")(?<rest> \\("
			   "(?<address>" HEX ") in (?<module>" PATH "|[^()\\s/][^()]*)\\))" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	/*
	 * ClickHouse's, of frames whose source it does not know. The first may be where a signal came; in front of an
	 * exception's stack, where all are callers, it is its own.
	 */
	{
		.name = "clickhouse",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_BEHIND_FIRST,
		.needs = " @ 0x",
		.pattern = "(?<as_is>(?<!\\S)\\d++\\. )(?!\\S+:\\d+: )(?<symbol>\\S" UP_TO ")(?<rest> @ (?<offset>" HEX
			   ") in (?<module>/(?:[^ ]| (?!@ ))+?))" LINE_END,
		.frame = "{as_is}[{source}: ]{function}{rest}",
	},
	{
		.name = "clickhouse complete",
		.kind = FORM_COMPLETE,
		.is_last_resort = true,
		.needs = " @ 0x",
		.pattern = "(?<!\\S)\\d++\\. \\S+:\\d+: \\S" UP_TO " @ " HEX " in /",
	},
	/*
	 * Envoy's: return addresses, behind the mapping of all code of the program, but not of the file that it is in.
	 */
	{
		.name = "envoy",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.is_last_resort = true,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = " [0x",
		.pattern = "(?<as_is>#(?<number>\\d++): )(?:(?=\\[0x)|(?<symbol>\\S" UP_TO
			   ") )(?<rest>\\[(?<address>" HEX ")\\])" ENVOY_END,
		.frame = "{as_is}{function} {rest}[ at {source}]",
	},
	{
		.name = "envoy mapping",
		.kind = FORM_MAPPING,
		.needs = "Address mapping: ",
		.pattern = "\\bAddress mapping: (?<start>[0-9a-f]{4,16})-(?<end>[0-9a-f]{4,16}) "
			   "(?<module>/[^\\t]*?)" ENVOY_END,
	},
	/*
	 * boost::stacktrace's, which has functions and places in what it could find itself. Where a bracket is in what
	 * would be the module, frames before it are none either.
	 */
	{
		.name = "boost",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = "# 0x",
		.pattern = "(?<first> ?(?<!\\S)(?<number>\\d+)# )(?<address>0x[0-9A-F]{8,16}) in "
			   "(?:[^()]*+[()](*SKIP)(*FAIL)|(?<module>\\S[^()]*?)" LINE_END ")",
		.frame = "[{first}|    ]{function} [at {source}|in {module}]",
	},
	/* Node's native stacks, which have the names that are exported. */
	{
		.name = "node",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = ": 0x",
		.pattern = "(?<first> ?(?<!\\S)(?<number>\\d+): (?<address>" HEX ") )(?: |(?<symbol>\\S" UP_TO ") )"
			   "(?<rest>\\[(?<module>(?!0x)[^\\s[\\]]++)\\])" LINE_END,
		.frame = "[{first}|             ]{function} {rest}[ {source}]",
	},
	/*
	 * Those of glog and Abseil: return addresses, behind one that is the place of a fault. Abseil has the size of
	 * the frame behind the address.
	 */
	{
		.name = "glog instruction",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.needs = "PC: @ ",
		.pattern = WORD_START "(?<as_is>PC: @ " GLOG_PLACE,
		.frame = "{as_is}  {function}[ at {source}]",
		.inlined = "{as_is}  {function} (inlined)[ at {source}]",
	},
	/* What glog knows since 0.7 of a module without symbols: an address of it that is already within the call. */
	{
		.name = "glog without functions",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_NONE,
		.needs = "    @ ",
		.pattern = "(?<= {4})(?<as_is>@ +" HEX ")(?<rest> +\\((?<module>" PATH ")\\+(?<offset>" HEX
			   ")\\))" LINE_END,
		.frame = "{as_is}  {function}[ at {source}|{rest}]",
		.inlined = "{as_is}  {function} (inlined)[ at {source}]",
	},
	{
		.name = "glog",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = "    @ ",
		.pattern = "(?<= {4})(?<as_is>@ " GLOG_PLACE,
		.frame = "{as_is}  {function}[ at {source}]",
		.inlined = "{as_is}  {function} (inlined)[ at {source}]",
	},
	/* folly's, whose addresses are already within the calls. */
	{
		.name = "folly",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.needs = "    @ 0",
		.pattern = "(?<= {4})(?<as_is>@ (?<address>0[0-9a-f]{15}))(?!.* at |.*\\(inlined\\)) "
			   "(?<symbol>\\S.*?)" LINE_END,
		.frame = "{as_is} {function}[ at {source}]",
		.inlined = "{as_is} {function} (inlined)[ at {source}]",
	},
	/*
	 * Those of X servers, Wayland compositors and Mesa, which libunwind finds: functions are the nearest exported
	 * ones, so places may be beyond their ends. DPDK writes only offsets with 0x.
	 */
	{
		.name = "x server",
		.kind = FORM_FRAME,
		.names = NAMES_NEAREST,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.needs = ") [",
		.pattern = "(?<as_is>: (?<module>[^\\s()]++) \\()(?!0x|" DPDK_BASE
			   "\\+)(?<symbol>[^\\s()+]++)\\+(?<delta>" HEX ")(?<rest>\\) \\[(?<address>" HEX
			   "|[0-9a-f]{5,16})\\])" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	/* The same of DPDK, and of X servers that are built without libunwind, where no exported function is there. */
	{
		.name = "x server without functions",
		.kind = FORM_FRAME,
		.names = NAMES_EXPORTS,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_ALL,
		.needs = ") [",
		.pattern = "(?<as_is>: (?<module>[^\\s()]++) \\()(?:" HEX "|" DPDK_BASE ")\\+(?<offset>" HEX
			   ")(?<rest>\\) \\[(?<address>" HEX "|[0-9a-f]{5,16})\\])" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	/* perf script, with positions in the file (-F +dsoff) and without. */
	{
		.name = "perf with offsets",
		.kind = FORM_FRAME,
		.is_head_once = true,
		.address = ADDRESS_IN_FILE,
		.calls = CALLS_BEHIND_FIRST,
		.needs = " (/",
		.pattern = PERF_PLACE "(?<rest>\\((?<module>" PATH ")" DELETED "\\+(?<offset>" HEX ")\\))" LINE_END,
		.header = PERF_HEADER,
		.frame = "[{alone}]{address} {function}{into} {rest}[ {source}]",
		.inlined = "[{alone}]{address} {function} (inlined)[ {source}]",
	},
	{
		.name = "perf",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_BEHIND_FIRST,
		.needs = " (",
		.pattern = PERF_PLACE "(?<rest>\\((?!(?:" PATH "|\\[[^()]*)\\+" HEX "\\))(?<module>" PATH
				      "|\\[[^()\\]]*+\\][^()]*+)" DELETED "\\))" LINE_END,
		.is_head_once = true,
		.header = PERF_HEADER,
		.frame = "[{alone}]{address} {function}{into} {rest}[ {source}]",
		.inlined = "[{alone}]{address} {function} (inlined)[ {source}]",
	},
	/* The same without functions (-F ip,dso): a number is at the end of a column of 16 characters. */
	{
		.name = "perf without functions",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_BEHIND_FIRST,
		.needs = " (",
		.pattern = "^(?<as_is>(?:\\t|(?<alone> ))(?=[0-9a-f ]{16} \\() *+)(?<address>[0-9a-f]++) "
			   "(?<rest>\\((?<module>" PATH "|\\[[^()\\]]*+\\][^()]*+)" DELETED "\\))" LINE_END,
		.header = PERF_HEADER,
		.frame = "{as_is}{address} {function}{into} {rest}[ {source}]",
		.inlined = "{as_is}{address} {function} (inlined)[ {source}]",
	},
	{
		.name = "perf mapping",
		.kind = FORM_MAPPING,
		.needs = "PERF_RECORD_MMAP",
		.pattern =
			"PERF_RECORD_MMAP2? (?<process>-?\\d+)/-?\\d+: \\[(?<start>" HEX ")\\((?<length>" HEX ")\\) @ "
			"(?<offset>" HEX "|0) ?(?:<(?<build_id>[0-9a-f]+)>|[^]]*+)\\]: \\S+ " MAPPED LINE_END,
	},
	/* The same with --show-task-events. */
	{
		.name = "perf fork",
		.kind = FORM_FORK,
		.needs = "PERF_RECORD_FORK(",
		.pattern = "PERF_RECORD_FORK\\((?<process>\\d+):(?<thread>\\d+)\\):\\((?<parent>\\d+):\\d+\\)" LINE_END,
	},
	{
		.name = "perf exec",
		.kind = FORM_EXEC,
		.needs = "PERF_RECORD_COMM exec: ",
		.pattern = "PERF_RECORD_COMM exec: (*COMMIT).*:(?<process>\\d+)/\\d+" LINE_END,
	},
	{
		.name = "perf build-id",
		.kind = FORM_MODULE,
		.needs = " /",
		.pattern = "^(?<build_id>[0-9a-f]{16,128}) (?<module>/.*\\S)" LINE_END,
	},
	/* /proc/PID/maps. */
	{
		.name = "maps",
		.kind = FORM_MAPPING,
		.needs = " /",
		.pattern = WORD_START "(?<start>[0-9a-f]{4,16})-(?<end>[0-9a-f]{4,16}) [r-][w-][x-][ps] "
				      "(?<offset>[0-9a-f]{8,16}) [0-9a-f]+:[0-9a-f]+ \\d+ +" MAPPED LINE_END,
	},
	/* gdb's `info proc mappings`: behind blanks, or a tab, or nothing, but then with a blank at the end. */
	{
		.name = "gdb mapping",
		.kind = FORM_MAPPING,
		.needs = " /",
		.pattern = "^[ \\t]*(?<start>" HEX ") +(?<end>" HEX ") +(?<length>" HEX ") +(?<offset>" HEX
			   ") +(?:[r-][w-][x-][ps] +)?" MAPPED LINE_END,
	},
	/*
	 * The modules of a process or core as eu-unstrip -n lists them: where, build-id, file, debug file and name,
	 * with "-" for what is not known, and "." for a file that was found in the memory alone.
	 */
	{
		.name = "eu-unstrip",
		.kind = FORM_MAPPING,
		.address = ADDRESS_FROM_LOWEST,
		.needs = "+0x",
		.pattern = "^(?<start>" HEX ")\\+(?<length>" HEX ") (?:(?<build_id>[0-9a-f]++)(?:@" HEX ")?|-) "
			   "(?|(?<module>/.*?) (?:[-.] |/)\\S|[-.] (?:[-.]|/\\S*+) "
			   "(?<module>(?!\\[vdso|linux-(?:vdso|gate))\\S.*?)" LINE_END ")",
	},
	/* The same as lldb's `image list` does, which tells no sizes. Where there is no build-id, it may have a CRC. */
	{
		.name = "lldb mapping",
		.kind = FORM_MAPPING,
		.address = ADDRESS_FROM_LOWEST,
		.needs = " /",
		.pattern = "^\\[ *\\d+\\] +(?:(?<build_id>[0-9A-F]{8}-[0-9A-F-]++) |[0-9A-F]{8} )?(?<start>" HEX
			   ") (?<module>/.*?)" LINE_END,
	},
	/*
	 * Those of bcc's memleak, of programs: where allocating functions return to. The functions are demangled, and
	 * those of C have the same name.
	 */
	{
		.name = "memleak",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.needs = "\t\t0x",
		.pattern = "^(?<as_is>\t\t(?<address>" HEX ")\t)(?<symbol>[A-Za-z_][\\w.$]*+)\\+(?<delta>" HEX
			   ")(?<rest> \\[(?<module>(?!kernel\\])[^\\[\\]]++)\\])" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	{
		.name = "memleak with demangled functions",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.is_demangled = true,
		.needs = "\t\t0x",
		.pattern = "^(?<as_is>\t\t(?<address>" HEX
			   ")\t)(?![A-Za-z_][\\w.$]*+\\+0x)(?:(?<symbol>[^\\s[].*?)\\+(?<delta>" HEX
			   ")|\\[unknown\\])(?<rest> \\[(?<module>(?!kernel\\])[^\\[\\]]++)\\])" LINE_END,
		.frame = "{as_is}{function}{into}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	/* HAProxy's, of the program itself; libraries have no whole names there. */
	{
		.name = "haproxy",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.module = "haproxy",
		.needs = "]: ",
		.pattern = "(?<as_is>\\| (?<address>" HEX ") \\[[0-9a-f]{2}(?: [0-9a-f]{2})++\\]: )"
			   "(?<symbol>[A-Za-z_][\\w.$]*+)\\+(?<delta>" HEX ")(?:/(?<size>" HEX "))?+" LINE_END,
		.frame = "{as_is}{function}{into}[ at {source}]",
		.inlined = "{as_is}{function}[ at {source}]",
	},
	/* SystemTap's, of programs. In those of the kernel, Linux's names stand. */
	{
		.name = "systemtap",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_BEHIND_FIRST,
		.needs = " : ",
		.pattern = "(?<as_is>\\b" HEX " : )(?<symbol>[A-Za-z_][\\w.$]*+)\\+(?<delta>" HEX ")/(?<size>" HEX
			   ")(?<rest> \\[(?<module>/[^\\]]++)\\](?: \\(inexact\\))?+)" LINE_END,
		.frame = "{as_is}{symbol}+{delta}/{size}{rest}[ at {source}]",
		.inlined = "{as_is}{function}{rest}[ at {source}]",
	},
	/* Linux's oopses and warnings: the place itself, then the stack of return addresses. */
	{
		.name = "kernel warning",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_NONE,
		.module = "vmlinux",
		.needs = "WARNING: ",
		.pattern = "(?<as_is>WARNING: (*COMMIT).* ?at \\S+:\\d+ )" KERNEL_PLACE,
		.frame = "{as_is}{symbol}+{delta}/{size}[{rest}][ ({source})]",
		.inlined = "{as_is}{function}[ ({source})] (inlined)",
	},
	{
		.name = "kernel instruction",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_NONE,
		.module = "vmlinux",
		.needs = "/0x",
		.pattern = "(?<as_is>\\b" KERNEL_INSTRUCTION "|WARNING: (?:\\S+:\\d+ )?at )" KERNEL_PLACE,
		.frame = "{as_is}{symbol}+{delta}/{size}[{rest}][ ({source})]",
		.inlined = "{as_is}{function}[ ({source})] (inlined)",
	},
	/* Linux on arm64, since 6.13, marks in its stacks what is such a place: (P). Other marks are of callers. */
	{
		.name = "kernel instruction in a stack",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_NONE,
		.is_last_resort = true,
		.module = "vmlinux",
		.needs = "/0x",
		.pattern = "(?<![\\w.$:])" KERNEL_PLACE "(?= \\(P[A-Z]*\\))",
		.frame = "{symbol}+{delta}/{size}[{rest}][ ({source})]",
		.inlined = "{function}[ ({source})] (inlined)",
	},
	/* Behind the header of s390 is the place of the last branch. */
	{
		.name = "kernel",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FUNCTION,
		.calls = CALLS_ALL,
		.is_last_resort = true,
		.module = "vmlinux",
		.needs = "/0x",
		.pattern = "(?<![\\w.$:])" KERNEL_PLACE,
		.header = "\\bLast Breaking-Event-Address:\\s*$",
		.frame = "{symbol}+{delta}/{size}[{rest}][ ({source})]",
		.inlined = "{function}[ ({source})] (inlined)",
	},
	/* Linux's line about a fault of a program: the place in the file, then where that is mapped. */
	{
		.name = "kernel fault of a program",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FILE,
		.calls = CALLS_NONE,
		.needs = " in ",
		.pattern = " in "
			   "(?<module>[^\\s()[\\]]++)\\[(?<offset>[0-9a-f]{1,16}),[0-9a-f]{1,16}\\+[0-9a-f]{1,16}\\](?!"
			   " \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/*
	 * The same of older kernels: the address, and behind it the mapping that it is in. Where the error is that an
	 * instruction was fetched there, bit 4 of its code, that mapping is no code.
	 */
	{
		.name = "kernel fault of a program, without the place",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_SEGMENT,
		.calls = CALLS_NONE,
		.needs = " sp",
		.pattern = " ip[ :](?<address>[0-9a-f]{1,16}) sp[ :][0-9a-f]{1,16} "
			   "error[ :](?![0-9a-f]*[13579bdf][0-9a-f]\\b)[0-9a-f]{1,16} in "
			   "(?<module>[^\\s()[\\]]++)\\[(?<start>[0-9a-f]{1,16})\\+(?<length>[0-9a-f]{1,16})\\](?!"
			   " \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* The same on PowerPC, and on MIPS, in a line of its own. */
	{
		.name = "kernel fault of a program on PowerPC or MIPS, without the place",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_SEGMENT,
		.calls = CALLS_NONE,
		.needs = " in ",
		.pattern =
			"(?|\\bepc = (?<address>[0-9a-f]{8,16})| nip (?<address>[0-9a-f]{1,16}) lr [0-9a-f]{1,16} code "
			"[0-9a-f]+) in "
			"(?<module>[^\\s()[\\]]++)\\[(?<start>[0-9a-f]{1,16})\\+(?<length>[0-9a-f]{1,16})\\](?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* Rust's own backtraces, full. */
	{
		.name = "rust",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = " - <unknown>",
		.pattern = "(?<first>(?<number>\\d+): +(?<address>" HEX ") - )<unknown>" LINE_END,
		.frame = "[{first}|                        ]{function}[\n                            at {source}]",
	},
	/* Those of D's programs; like GNAT's, these addresses are already within the calls. */
	{
		.name = "d",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.needs = "?\?:? ",
		.pattern = "^\\?\\?:\\? (?:(?<symbol>[^\\s[].*?) ?)?(?<rest>\\[(?<address>" HEX ")\\])" LINE_END,
		.frame = "[{source}|??:?] {function} {rest}",
	},
	/* Free Pascal's: the place itself, then return addresses. */
	{
		.name = "pascal",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_BEHIND_FIRST,
		.needs = "  $",
		.pattern = "^(?<as_is>  \\$(?<address>[0-9A-F]{8,16}))" LINE_END,
		.frame = "{as_is}  {function}[ at {source}]",
	},
	/*
	 * What ESP-IDF writes of a microcontroller's program that failed: the registers that have the place and the
	 * return address, and the stack, each frame with its stack pointer, whose addresses are within the calls
	 * already. The program, which has a fixed place, must be the only one that is given.
	 */
	{
		.name = "esp-idf instruction",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.needs = "C    : 0x",
		.pattern = "(?:\\bPC {6}: (?=0x[0-9a-f]{8}  PS )|\\bMEPC {4}: )(?<address>0x[0-9a-f]{8})\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	{
		.name = "esp-idf caller",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = "RA      : 0x",
		.pattern = "\\bRA {6}: (?<address>0x[0-9a-f]{8})(?=  SP )",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	{
		.name = "esp-idf stack",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_STEPPED_THREE,
		.needs = "Backtrace:",
		.pattern = "(?:\\bBacktrace: ?|\\G(?<=[0-9a-fA-F]) "
			   ")(?<address>0x[0-9a-fA-F]{8}):0x[0-9a-fA-F]{8}\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* The same of Zephyr, on Arm. */
	{
		.name = "zephyr instruction",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.needs = "address (r15/pc): 0x",
		.pattern = "\\bFaulting instruction address \\(r15/pc\\): (?<address>0x[0-9a-f]{8})\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	{
		.name = "zephyr caller",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.needs = "r14/lr:  0x",
		.pattern = "\\br14/lr:  (?<address>0x[0-9a-f]{8})\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* All of a stack of GNAT's programs is in one line, which has nothing else. */
	{
		.name = "gnat",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.is_headed = true,
		.is_joined = true,
		.needs = "0x",
		.pattern = "\\G(?:^" COLOURS "(?=" HEX "(?: " HEX ")*+" COLOURS LINE_END ")|(?<=[0-9a-f]) )"
			   "(?<address>" HEX ")\\b",
		.header = "^Call stack traceback locations:",
		.frame = "{function}[ at {source}]",
	},
	/* Those of backward-cpp, where it found no places; its addresses are already within the calls. */
	{
		.name = "backward",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.needs = "\", at 0x",
		.pattern = "\\bObject \"(?<module>(?!\\[)[^\"]++)\", at (?<address>" HEX ")(?=, in )",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* Go's tracebacks: frames of a stack, which are behind their calls, and single places, which are not. */
	{
		.name = "go frame",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_ALL,
		.has_place = true,
		.needs = " pc=0x",
		.pattern = "\\bfp=" HEX " sp=" HEX " pc=(?<address>" HEX ")(?! \\()\\b",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	{
		.name = "go",
		.kind = FORM_FRAME,
		.address = ADDRESS_RUNTIME,
		.calls = CALLS_NONE,
		.is_last_resort = true,
		.has_place = true,
		.needs = "=0x",
		.pattern = "\\b(?:pc|PC)=(?<address>" HEX ")(?! \\()\\b",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/*
	 * bpftrace's stacks with stack_mode=build_id: the place itself, then return addresses. Those of modules without
	 * a build-id are numbers alone, which belong to the stack.
	 */
	{
		.name = "bpftrace",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FILE,
		.calls = CALLS_BEHIND_FIRST,
		.needs = " 0x",
		.pattern = "^" COLOURS "[ \\t]*+(?<build_id>[0-9a-f]{40}) (?<offset>" HEX ")(?=" COLOURS LINE_END ")",
		.is_joined = true,
		.header = "^(?![ \\t]*+(?:[0-9a-f]{40} " HEX "|[0-9a-f]{1,16})" COLOURS LINE_END ").",
		.frame = "{function}[ at {source}]",
	},
	{
		.name = "build-id and file offset",
		.kind = FORM_FRAME,
		.address = ADDRESS_IN_FILE,
		.calls = CALLS_NONE,
		.needs = " 0x",
		.pattern = WORD_START "(?<build_id>[0-9a-f]{40}) (?<offset>" HEX ")\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	{
		.name = "build-id and address",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_NONE,
		.needs = "0x",
		.pattern = WORD_START "(?<build_id>[0-9a-f]{16,128})[:+](?<offset>" HEX ")\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* eu-stack's build-ids (-b); their offsets are already within the calls, and count from where the module is. */
	{
		.name = "eu-stack build-id",
		.kind = FORM_FRAME,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_NONE,
		.needs = "]@0x",
		.pattern = "\\[(?<build_id>[0-9a-f]{16,128})\\]@" HEX "\\+(?<offset>" HEX ")\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* What glibc's mtrace notes of each call, which returns there. */
	{
		.name = "mtrace",
		.kind = FORM_FRAME,
		.address = ADDRESS_FROM_LOWEST,
		.calls = CALLS_ALL,
		.needs = "[0x",
		.pattern = "^" COLOURS "@ (?<module>[^:]+):(?:\\([^()]*\\))?\\[(?<offset>" HEX ")\\](?= [-+<>] 0x)",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/*
	 * Neither copies that compilers make of functions, nor Linux's "/srv/a[+0x10]", which counts from a mapping.
	 * The place may be in quotes.
	 */
	{
		.name = "module and address",
		.kind = FORM_FRAME,
		.address = ADDRESS_OF_MODULE,
		.calls = CALLS_NONE,
		.is_last_resort = true,
		.is_guess = true,
		.needs = "+0x",
		.pattern = "(?<![^\\s(\"'`])(?<module>(?!\\[|" CLONE
			   ")[^\\s()\"'`\\x1b/.]*+[/.][^\\s()\"'`\\x1b]*?)(?<!\\[)\\+(?<offset>" HEX ")\\b(?! \\()",
		.is_joined = true,
		.frame = "{function}[ at {source}]",
	},
	/* What perf knows itself of functions that were inlined into the frame behind them. */
	{
		.name = "perf inlined",
		.kind = FORM_INLINED,
		.is_last_resort = true,
		.needs = " (inlined)",
		.pattern = "^[ \\t]+(?<address>[0-9a-f]{1,16}) (?:" PERF_NO_SYMBOL "\\S.*? )?\\(inlined\\)" LINE_END,
		.header = PERF_HEADER,
	},
	/* Its frames that are complete, and functions inlined there: they belong to the stack. */
	{
		.name = "perf complete",
		.kind = FORM_COMPLETE,
		.is_last_resort = true,
		.needs = " (",
		.pattern =
			"^[ \\t]+[0-9a-f]{1,16} " PERF_NO_SYMBOL "(?<symbol>\\S.*?) "
			"\\((?:inlined|(?<module>" PATH "|\\[[^()\\]]*+\\][^()]*+)" DELETED ")\\)(?: \\S++)?" LINE_END,
		.header = PERF_HEADER,
	},
	{
		.name = "valgrind complete",
		.kind = FORM_COMPLETE,
		.is_last_resort = true,
		.needs = " 0x",
		.pattern = "\\b(?:at|by) 0x[0-9A-F]+: \\S",
		.header = "\\S\\r?$",
	},
};

enum { FORM_COUNT = sizeof(table) / sizeof(table[0]), NO_GROUP = 0 };

/* The most attempts of a pattern at a line; a line that needs more is not recognised. */
enum { MATCH_LIMIT = 1000000 };

enum { PAIR_HASH_MAX = 1 << 11, NEEDED_MAX = 32 };

struct pattern {
	pcre2_code *code; /* NULL: the form has none */
	uint32_t groups[FIELD_COUNT];
};

/* The pairs of characters in what a form needs, as hashes. */
struct needed {
	uint16_t pairs[NEEDED_MAX];
	size_t count;
};

struct forms {
	struct pattern patterns[FORM_COUNT];
	struct pattern headers[FORM_COUNT];
	pcre2_match_data *data;
	pcre2_match_context *context;
	struct needed needed[FORM_COUNT];
	uint32_t line;                 /* the number of the line */
	uint32_t lines[PAIR_HASH_MAX]; /* by the hash of a pair of characters: the last line that has one */
	size_t last;                   /* the form that matched last, which mostly matches the next line, too */
	size_t next[FORM_COUNT];       /* of a joined form: where it matches next in this line; SIZE_MAX: nowhere */
};

static const char *const field_names[FIELD_COUNT] = {
	[FIELD_START] = "start",   [FIELD_END] = "end",           [FIELD_LENGTH] = "length",
	[FIELD_NUMBER] = "number", [FIELD_ADDRESS] = "address",   [FIELD_OFFSET] = "offset",
	[FIELD_DELTA] = "delta",   [FIELD_SIZE] = "size",         [FIELD_SYMBOL] = "symbol",
	[FIELD_MODULE] = "module", [FIELD_BUILD_ID] = "build_id", [FIELD_PROCESS] = "process",
	[FIELD_FIRST] = "first",   [FIELD_AS_IS] = "as_is",       [FIELD_REST] = "rest",
	[FIELD_THREAD] = "thread", [FIELD_PARENT] = "parent",     [FIELD_DELETED] = "deleted",
	[FIELD_ALONE] = "alone",
};

const char *form_field_name(enum form_field field)
{
	return field_names[field];
}

const struct form *forms_table(size_t *ret_count)
{
	*ret_count = FORM_COUNT;
	return table;
}

static bool compile(const char *text, struct pattern *ret)
{
	PCRE2_SIZE offset;
	int error;

	ret->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &error, &offset, NULL);
	if (!ret->code)
		return false;
	/* On processors for which PCRE2 has no compiler, patterns are interpreted, which is slower. */
	pcre2_jit_compile(ret->code, PCRE2_JIT_COMPLETE);
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		int group = pcre2_substring_number_from_name(ret->code, (PCRE2_SPTR)field_names[i]);
		ret->groups[i] = group > 0 ? (uint32_t)group : NO_GROUP;
	}
	return true;
}

static bool compile_all(struct forms *forms)
{
	for (size_t i = 0; i < FORM_COUNT; i++) {
		if (!compile(table[i].pattern, &forms->patterns[i]) ||
		    (table[i].header && !compile(table[i].header, &forms->headers[i])))
			return false;
	}
	return true;
}

/* ---- What forms need ---- */

static size_t pair_hash(const char *pair)
{
	return ((unsigned char)pair[0] * 33U + (unsigned char)pair[1] * 7U) % PAIR_HASH_MAX;
}

static void note_needed(struct forms *forms)
{
	for (size_t i = 0; i < FORM_COUNT; i++) {
		struct needed *needed = &forms->needed[i];
		for (const char *at = table[i].needs; at && at[0] && at[1]; at++) {
			assert(needed->count < NEEDED_MAX);
			needed->pairs[needed->count++] = (uint16_t)pair_hash(at);
		}
	}
}

/* Notes which pairs of characters the line has: that takes less time than to compare it with two patterns. */
static void note_pairs(struct forms *forms, const char *line, size_t size)
{
	forms->line++;
	for (size_t i = 0; i + 1 < size; i++)
		forms->lines[pair_hash(line + i)] = forms->line;
}

/* Whether the line whose pairs were noted may have what the form needs. */
static bool may_match(const struct forms *forms, size_t index)
{
	const struct needed *needed = &forms->needed[index];

	for (size_t i = 0; i < needed->count; i++) {
		if (forms->lines[needed->pairs[i]] != forms->line)
			return false;
	}
	return true;
}

struct forms *forms_new(void)
{
	struct forms *forms = calloc(1, sizeof(*forms));

	if (!forms)
		return NULL;
	forms->data = pcre2_match_data_create(FIELD_COUNT + 1, NULL);
	forms->context = pcre2_match_context_create(NULL);
	if (!forms->data || !forms->context || !compile_all(forms)) {
		forms_free(forms);
		return NULL;
	}
	note_needed(forms);
	pcre2_set_match_limit(forms->context, MATCH_LIMIT);
	return forms;
}

void forms_free(struct forms *forms)
{
	if (!forms)
		return;
	for (size_t i = 0; i < FORM_COUNT; i++) {
		pcre2_code_free(forms->patterns[i].code);
		pcre2_code_free(forms->headers[i].code);
	}
	pcre2_match_context_free(forms->context);
	pcre2_match_data_free(forms->data);
	free(forms);
}

/* The groups' places in the line; NULL: it does not match from `start` on, or would need too many attempts. */
static const PCRE2_SIZE *match(struct forms *forms, const struct pattern *pattern, const char *line, size_t size,
			       size_t start)
{
	if (pcre2_match(pattern->code, (PCRE2_SPTR)line, size, start, 0, forms->data, forms->context) < 0)
		return NULL;
	return pcre2_get_ovector_pointer(forms->data);
}

static struct locus_string field_at(const struct pattern *pattern, const PCRE2_SIZE *places, size_t field,
				    const char *line)
{
	uint32_t group = pattern->groups[field];

	if (group == NO_GROUP || places[2 * group] == PCRE2_UNSET)
		return (struct locus_string){NULL, 0};
	return (struct locus_string){line + places[2 * group], places[2 * group + 1] - places[2 * group]};
}

/*
 * The program in front of a title, "redis-server *:6379" or "postgres: user base [local] idle", which glibc takes for
 * the path of the program: the first word of the line, if a blank or a colon and a blank are between it and the title.
 */
static struct locus_string program_of_title(const char *line, size_t size, const struct locus_string *module)
{
	const struct locus_string none = {NULL, 0};
	size_t start = 0;

	while (start < size && (line[start] == ' ' || line[start] == '\t'))
		start++;
	size_t end = start;
	while (end < size && line[end] && line[end] != ' ' && line[end] != ':')
		end++;
	size_t behind = end + (end < size && line[end] == ':');
	bool is_title = end > start && behind + 1 < size && line[behind] == ' ' && line[behind + 1] != ' ';

	if (!is_title || line + behind >= module->data)
		return none;
	/*
	 * A module in a folder is the path of a library, behind a title or not; but behind a blank, "b/app" may be the
	 * rest of "/srv/a b/app".
	 */
	bool is_rest = line[start] == '/' && behind == end && module->data[0] != '/' && module->data[0] != '.';
	if (memchr(module->data, '/', module->size) && !is_rest)
		return none;
	return (struct locus_string){line + start, end - start};
}

/*
 * The module with the words before it, from the last one on that begins as a path does: a path may have blanks, and
 * stand behind other text. Of size 0: MODULE is a path itself, or there is no such word.
 */
static struct locus_string path_with_blanks(const char *line, const struct locus_string *module)
{
	const char *end = module->data + module->size;

	if (module->data[0] == '/' || module->data[0] == '.')
		return (struct locus_string){NULL, 0};
	for (const char *at = module->data; at-- > line;) {
		bool is_word = at == line || at[-1] == ' ' || at[-1] == '\t';
		bool is_path = at[0] == '/' || (at[0] == '.' && at[1] == '/');
		if (is_word && is_path)
			return (struct locus_string){at, (size_t)(end - at)};
	}
	return (struct locus_string){NULL, 0};
}

static bool match_form(struct forms *forms, size_t index, const char *line, size_t size, size_t start,
		       struct form_match *ret)
{
	const struct pattern *pattern = &forms->patterns[index];
	const PCRE2_SIZE *places = match(forms, pattern, line, size, start);

	if (!places)
		return false;
	ret->form = &table[index];
	ret->start = places[0];
	ret->end = places[1];
	for (size_t i = 0; i < FIELD_COUNT; i++)
		ret->fields[i] = field_at(pattern, places, i, line);
	ret->program = ret->path = (struct locus_string){NULL, 0};
	if (ret->form->has_titles) {
		ret->program = program_of_title(line, size, &ret->fields[FIELD_MODULE]);
		ret->path = path_with_blanks(line, &ret->fields[FIELD_MODULE]);
	}
	forms->last = index;
	return true;
}

/* The first form of the table that the line matches, but for the one that matched last if that is no last resort. */
static bool match_others(struct forms *forms, const char *line, size_t size, struct form_match *ret)
{
	size_t last = forms->last;

	for (size_t i = 0; i < FORM_COUNT; i++) {
		if ((i != last || table[i].is_last_resort) && may_match(forms, i) &&
		    match_form(forms, i, line, size, 0, ret))
			return true;
	}
	return false;
}

/* The form that matched last mostly matches the next line, too, and is tried first unless it is a last resort. */
bool forms_match(struct forms *forms, const char *line, size_t size, struct form_match *ret)
{
	bool is_last = !table[forms->last].is_last_resort && match_form(forms, forms->last, line, size, 0, ret);

	if (is_last && !ret->form->is_joined)
		return true;
	note_pairs(forms, line, size);
	return (is_last || match_others(forms, line, size, ret)) &&
	       (!ret->form->is_joined || forms_match_joined(forms, line, size, 0, ret));
}

/* A form is searched for again only behind its match: a line may have a thousand of another form before that. */
bool forms_match_joined(struct forms *forms, const char *line, size_t size, size_t start, struct form_match *ret)
{
	size_t first = 0, first_at = SIZE_MAX;

	for (size_t i = 0; i < FORM_COUNT; i++) {
		if (!table[i].is_joined)
			continue;
		if (start == 0 || forms->next[i] < start)
			forms->next[i] = may_match(forms, i) && match_form(forms, i, line, size, start, ret)
						 ? ret->start
						 : SIZE_MAX;
		if (forms->next[i] < first_at) {
			first = i;
			first_at = forms->next[i];
		}
	}
	return first_at != SIZE_MAX && match_form(forms, first, line, size, start, ret);
}

bool forms_header(struct forms *forms, const struct form *form, const char *line, size_t size,
		  struct locus_string *ret_process)
{
	const struct pattern *pattern = &forms->headers[form - table];
	const PCRE2_SIZE *places = pattern->code ? match(forms, pattern, line, size, 0) : NULL;

	*ret_process = places ? field_at(pattern, places, FIELD_PROCESS, line) : (struct locus_string){NULL, 0};
	return places;
}
