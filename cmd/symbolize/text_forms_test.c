/* Each row of the table by a line of its kind: that it matches, that no other row does, and what its fields are. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/toolkit_test.h"
#include "cmd/symbolize/text_forms.h"
#include "cmd/symbolize/text_stream.h"

#define ID "0123456789abcdef0123456789abcdef01234567"

/* `fields` is what they are, in the order of the enum, as name=value. */
static const struct {
	const char *form, *line, *fields;
} examples[] = {
	{"valgrind", "==1==    at 0x1093F1: ??? (in /srv/a b)", "address=0x1093F1 symbol=??? module=/srv/a b first=at"},
	{"valgrind", "==1==    by 0x1: f(int) (in /srv/a)", "address=0x1 symbol=f(int) module=/srv/a"},
	{"massif", "  n1: 36009 0x1093F1: f(int) (in /srv/a b)", "address=0x1093F1 symbol=f(int) module=/srv/a b"},
	{"massif", "  ->99.52% (36,009B) 0x1093F1: ??? (in /srv/a)", "address=0x1093F1 symbol=??? module=/srv/a"},
	{"sanitizer", "    #1 0x55d  (/srv/a+0x1139) (BuildId: " ID ")",
	 "number=1 address=0x55d offset=0x1139 module=/srv/a build_id=" ID " rest=(/srv/a+0x1139) (BuildId: " ID ")"},
	{"sanitizer", "    #0 0x55d in f(int) (/srv/g+++0x1)",
	 "number=0 address=0x55d offset=0x1 symbol=f(int) module=/srv/g++ rest=(/srv/g+++0x1)"},
	{"complete", "    #4 0x7f2 in main /srv/a.c:56", "number=4 "},
	{"complete of LLVM", " #4 0x00007f33fc2b5070 f(int) /srv/a.c:56:3", "number=4 "},
	{"libbpf tools", "    #4  0x0000007fa0bffd14 f+0x94 (/lib/a.so+0x9ed14)",
	 "number=4   address=0x0000007fa0bffd14 offset=0x9ed14 delta=0x94 symbol=f module=/lib/a.so as_is=     "
	 "rest=(/lib/a.so+0x9ed14)"},
	{"libbpf tools", "    #4  0x0000007fa0bffd14 (/srv/a b+0x9ed14)",
	 "number=4   address=0x0000007fa0bffd14 offset=0x9ed14 module=/srv/a b as_is=     rest=(/srv/a b+0x9ed14)"},
	{"libbpf tools", "    #12 0x0000007fa0bffd14 f+0x94 (/lib/a.so+0x9ed14)",
	 "number=12  address=0x0000007fa0bffd14 offset=0x9ed14 delta=0x94 symbol=f module=/lib/a.so as_is=     "
	 "rest=(/lib/a.so+0x9ed14)"},
	{"glog without functions", "    @     0x55a4ed24f389 (/srv/a b+0x2388)",
	 "offset=0x2388 module=/srv/a b as_is=@     0x55a4ed24f389 rest= (/srv/a b+0x2388)"},
	{"llvm", " #0 0x00007f33fc2b5070 f(int, A&) (/lib/g+++0x1139)",
	 "number=0 address=0x00007f33fc2b5070 offset=0x1139 symbol=f(int, A&) module=/lib/g++ rest=(/lib/g+++0x1139)"},
	{"llvm", "#12 0x00007f33fc2b5070 (/lib/a+0x1139)",
	 "number=12 address=0x00007f33fc2b5070 offset=0x1139 module=/lib/a rest=(/lib/a+0x1139)"},
	{"sanitizer", "#1 0x00007f33fc2b5070 in f(int) (/lib/a+0x1139)",
	 "number=1 address=0x00007f33fc2b5070 offset=0x1139 symbol=f(int) module=/lib/a rest=(/lib/a+0x1139)"},
	{"thread sanitizer", "    #1 <null> <null> (libc.so.6+0x27249) (BuildId: " ID ")",
	 "number=1 offset=0x27249 symbol=<null> module=libc.so.6 build_id=" ID " rest=(libc.so.6+0x27249) (BuildId: " ID
	 ")"},
	{"thread sanitizer", "    #0 f(int) <null> (a b+0x1)",
	 "number=0 offset=0x1 symbol=f(int) module=a b rest=(a b+0x1)"},
	{"complete without address", "    #0 main /srv/a.c:5:1 (a.so+0x1139) (BuildId: " ID ")",
	 "number=0  build_id=" ID},
	{"complete without address", "    #12 f(int) /srv/a.c:5 (a+0x1139)", "number=12 "},
	{"android", "      #00 pc 00000000000013f1  /data/a (f+16) (BuildId: " ID ")",
	 "number=00 offset=00000000000013f1 symbol=f module=/data/a build_id=" ID
	 " as_is=#00 pc 00000000000013f1  /data/a rest= (BuildId: " ID ")"},
	{"android", "#00 pc 000013f1  /data/a (operator+(A, A)+16)",
	 "number=00 offset=000013f1 symbol=operator+(A, A) module=/data/a as_is=#00 pc 000013f1  /data/a"},
	{"android", "#01 pc 0000000000001394  /data/b.apk!lib.so (offset 0x1000)",
	 "number=01 offset=0000000000001394 module=lib.so "
	 "as_is=#01 pc 0000000000001394  /data/b.apk!lib.so (offset 0x1000)"},
	{"android", "#00  pc 000013f1  /data/a",
	 "number=00 offset=000013f1 module=/data/a as_is=#00  pc 000013f1  /data/a"},
	{"dart", "    #00 abs 0000007a9f07c1d7 virt 00000000002871d7 _kDartIsolateSnapshotInstructions+0x20c1d7",
	 "number=00 offset=00000000002871d7 "
	 "as_is=#00 abs 0000007a9f07c1d7 virt 00000000002871d7 _kDartIsolateSnapshotInstructions+0x20c1d7"},
	{"dart", "#12 abs 0000007a9f07c1d7 virt 00000000002871d7 /data/a b/libapp.so",
	 "number=12 offset=00000000002871d7 as_is=#12 abs 0000007a9f07c1d7 virt 00000000002871d7 /data/a b/libapp.so"},
	{"dart build-id", "build_id: '" ID "'", "build_id=" ID},
	{"systemd-coredump", "                #0  0x000055 n/a (libc.so.6 + 0x2724a)",
	 "number=0 address=0x000055 offset=0x2724a symbol=n/a module=libc.so.6 "
	 "as_is=#0  0x000055 rest=(libc.so.6 + 0x2724a)"},
	{"systemd-coredump module", "    Module libz.so.1 from deb zlib-1.2 with build-id " ID,
	 "module=libz.so.1 build_id=" ID},
	{"systemd-coredump module", "Module /srv/a with build-id " ID, "module=/srv/a build_id=" ID},
	{"gdb", "#4  0x0000558b in ?? () from /lib/libc.so.6",
	 "number=4   address=0x0000558b symbol=?? module=/lib/libc.so.6 rest= from /lib/libc.so.6"},
	{"gdb", "#5  0x0000558b in entry(int) () from ./lib a.so",
	 "number=5   address=0x0000558b symbol=entry(int) module=./lib a.so rest= from ./lib a.so"},
	{"eu-stack", "#0  0x000055fa02576147", "number=0   address=0x000055fa02576147 as_is=0x000055fa02576147"},
	{"eu-stack", "#12 0x0804911a - /srv/a (1)/b",
	 "number=12  address=0x0804911a module=/srv/a (1)/b as_is=0x0804911a rest= - /srv/a (1)/b"},
	{"eu-stack", "#1  0x000055fa02576147 - a.so",
	 "number=1   address=0x000055fa02576147 module=a.so as_is=0x000055fa02576147 rest= - a.so"},
	{"eu-stack", "#1  0x000055fa02576147 - 1a",
	 "number=1   address=0x000055fa02576147 module=1a as_is=0x000055fa02576147 rest= - 1a"},
	{"eu-stack", "#1  0x000055fa02576147 - 1 - /srv/a",
	 "number=1   address=0x000055fa02576147 module=/srv/a "
	 "as_is=0x000055fa02576147 - 1 rest= - /srv/a"},
	{"eu-stack", "#0  0x000055fa02576147     - a.so",
	 "number=0   address=0x000055fa02576147 module=a.so "
	 "as_is=0x000055fa02576147     rest= - a.so"},
	{"eu-stack", "#12 0x0804911a - 1", "number=12  address=0x0804911a as_is=0x0804911a - 1"},
	{"eu-stack complete", "#3  0x000055fa02576147 a::f(int) - /srv/a", "number=3  "},
	{"eu-stack complete", "#3  0x000055fa02576147 - 1 a::f(int) - /srv/a", "number=3  "},
	{"eu-stack complete", "#3  0x000055fa02576147     a::f(int)", "number=3  "},
	{"eu-stack complete", "#12 0x0804911a f", "number=12 "},
	{"lldb", "  * frame #0: 0x000055fa02576147 a b`___lldb_unnamed_symbol12 + 14",
	 "number=0 address=0x000055fa02576147 symbol=___lldb_unnamed_symbol12 module=a b first=  * "},
	{"lldb", "    frame #12: 0x000055fa02576147 a.so`a::f(int) + 14",
	 "number=12 address=0x000055fa02576147 symbol=a::f(int) module=a.so first=    "},
	{"lldb", "    frame #1: 0x0804911a a", "number=1 address=0x0804911a module=a first=    "},
	{"lldb", "    frame #1: 0x0804911a a`f", "number=1 address=0x0804911a symbol=f module=a first=    "},
	{"lldb", "    frame #1: 0x0804911a a`b::f<int>(int, A&)",
	 "number=1 address=0x0804911a symbol=b::f<int>(int, A&) module=a first=    "},
	{"lldb complete", "    frame #1: 0x000055fa02576147 a`f(x=1)", "number=1"},
	{"lldb complete", "    frame #1: 0x000055fa02576147 a`f(x=1) at a.c:3:2", "number=1"},
	{"lldb complete", "    frame #1: 0x000055fa02576147 a`f at a.c:3:2", "number=1"},
	{"lldb complete", "  * frame #0: 0x0000000000000000", "number=0"},
	{"firefox", "1:02 #01: ???[/srv/a.so +0x1139]",
	 "offset=0x1139 symbol=??? module=/srv/a.so as_is=#01:  rest=[/srv/a.so +0x1139]"},
	{"firefox", "#12: a::f(int) (/srv/a b.so + 0x1139)",
	 "offset=0x1139 symbol=a::f(int) module=/srv/a b.so as_is=#12:  rest= (/srv/a b.so + 0x1139)"},
	{"gdb", "#14 0x0000558b in main ()", "number=14  address=0x0000558b symbol=main"},
	{"complete without address", "#0  f (x=1) at a.c:44", "number=0  "},
	{"complete", "#12 0x00007f in g () at ./a.c:78", "number=12 "},
	{"complete", "    #2 0x2f3d4c4c454852ff  (<unknown module>)", "number=2 "},
	{"complete without address", "#12 f (x=1) at a.c:44", "number=12 "},
	{"gdb signal", "#1  <signal handler called>", "number=1  "},
	{"gdb signal", "#12 <function called from gdb>", "number=12 "},
	{"java", "# C  [liba.so+0x110d]  deeper+0x4",
	 "offset=0x110d symbol=deeper module=liba.so as_is=C  [liba.so+0x110d]"},
	{"java", "V  [libjvm.so+0x82]  A::b(C const&, D*) [clone .constprop.1]+0x302",
	 "offset=0x82 symbol=A::b(C const&, D*) [clone .constprop.1] module=libjvm.so as_is=V  [libjvm.so+0x82]"},
	{"java", "C  [libc.so.6+0x1]", "offset=0x1 module=libc.so.6 as_is=C  [libc.so.6+0x1]"},
	{"minidump", " 0  liba.so + 0x1228", "number=0   offset=0x1228 module=liba.so"},
	{"minidump", "10  a + 0x1228", "number=10   offset=0x1228 module=a"},
	{"minidump complete", " 1  a!f(int) [a.c : 3 + 0x5]", "number=1  "},
	{"minidump complete", "12  libc.so.6!poll + 0x4f", "number=12  "},
	{"minidump complete", " 2  0x7ffe3c1d", "number=2  "},
	{"strace", " > /srv/a(f+0x1a) [0x1153]", "offset=0x1153 symbol=f module=/srv/a as_is= > /srv/a rest= [0x1153]"},
	{"strace", " > /srv/a(1)(f(int)+0x1a) [0x1153]",
	 "offset=0x1153 symbol=f(int) module=/srv/a(1) as_is= > /srv/a(1) rest= [0x1153]"},
	{"valgrind", "==1==    at 0x1093F1: f(int) (in /srv/a (1)/b (2))",
	 "address=0x1093F1 symbol=f(int) module=/srv/a (1)/b (2) first=at"},
	{"sanitizer", "    #1 0x55d  (/srv/a (1)/b+0x1139)",
	 "number=1 address=0x55d offset=0x1139 module=/srv/a (1)/b rest=(/srv/a (1)/b+0x1139)"},
	{"perf", "\t    7f11f4 f(int) (/srv/a (1)/b)",
	 "address=7f11f4 symbol=f(int) module=/srv/a (1)/b rest=(/srv/a (1)/b)"},
	{"perf with offsets", "\t    7f11f4 f(int) (/srv/a (1)/b (deleted)+0x1139)",
	 "address=7f11f4 offset=0x1139 symbol=f(int) module=/srv/a (1)/b deleted= (deleted) rest=(/srv/a (1)/b "
	 "(deleted)+0x1139)"},
	{"strace", " > /srv/a b() [0x1153]", "offset=0x1153 module=/srv/a b as_is= > /srv/a b rest= [0x1153]"},
	{"strace", " > /srv/a(+0x0) [0x1153]", "offset=0x1153 module=/srv/a as_is= > /srv/a rest= [0x1153]"},
	{"strace", " > /srv/a (deleted)(f+0x1a) [0x1153]",
	 "offset=0x1153 symbol=f module=/srv/a deleted= (deleted) as_is= > /srv/a (deleted) rest= [0x1153]"},
	{"glibc", "./a(+0x126a)[0x557fb7]", "address=0x557fb7 offset=0x126a module=./a rest=[0x557fb7]"},
	{"glibc", "/srv/a(+0x126a) [0x557fb7]", "address=0x557fb7 offset=0x126a module=/srv/a rest= [0x557fb7]"},
	{"kernel fault of a program",
	 "a[17]: segfault at 0 ip 000056089c237129 sp 00007fff22420f90 error 4 in a.b[1129,56089c237000+1000] likely "
	 "on CPU 0",
	 "offset=1129 module=a.b"},
	{"kernel fault of a program",
	 "traps: a[1] trap invalid opcode ip:56 sp:7f error:0 in a[1129,56089c237000+1000]", "offset=1129 module=a"},
	{"kernel fault of a program",
	 "a[42]: segfault (11) at 50 nip 12d03a920 lr 12d03a91c code 1 in a.b[6a920,12cfd0000+100000]",
	 "offset=6a920 module=a.b"},
	{"kernel fault of a program", "epc = 77d1c5a4 in a.so[1c5a4,77d00000+92000]", "offset=1c5a4 module=a.so"},
	{"kernel fault of a program on PowerPC or MIPS, without the place",
	 "a[42]: segfault (11) at 50 nip 12d03a920 lr 12d03a91c code 1 in a.b[12cfd0000+100000]",
	 "start=12cfd0000 length=100000 address=12d03a920 module=a.b"},
	{"kernel fault of a program on PowerPC or MIPS, without the place",
	 "[ 12.5] epc = 0000000077d1c5a4 in a.so[77d00000+92000]",
	 "start=77d00000 length=92000 address=0000000077d1c5a4 module=a.so"},
	{"kernel fault of a program, without the place",
	 "a[17]: segfault at 0 ip 000056089c237129 sp 00007fff22420f90 error 6 in a.b[56089c237000+1000] likely on CPU "
	 "0",
	 "start=56089c237000 length=1000 address=000056089c237129 module=a.b"},
	{"kernel fault of a program, without the place",
	 "traps: a[1] general protection fault ip:56 sp:7f error:0 in a[55+1000]",
	 "start=55 length=1000 address=56 module=a"},
	{"glibc without offsets", "./a[0x401218]", "address=0x401218 module=./a rest=[0x401218]"},
	{"glibc without offsets", "at /srv/a [0x401218]", "address=0x401218 module=/srv/a rest= [0x401218]"},
	{"glibc", "[2] /srv/a(+0x126a) [0x557fb7] (??:0)",
	 "address=0x557fb7 offset=0x126a module=/srv/a rest= [0x557fb7]"},
	{"glibc", "#0   /srv/a(+0x126a) [0x557fb7] ??\t??:0\t",
	 "address=0x557fb7 offset=0x126a module=/srv/a rest= [0x557fb7]"},
	{"glibc", "EAL: 10: [./a(+0x126a) [0x557fb7]]", "address=0x557fb7 offset=0x126a module=./a rest= [0x557fb7]"},
	{"glibc with functions", "11: [/lib/a.so(clone+0x3f) [0x7fb5d9d5aa2f]]",
	 "address=0x7fb5d9d5aa2f delta=0x3f symbol=clone module=/lib/a.so rest= [0x7fb5d9d5aa2f]"},
	{"glibc without offsets", "1: [./a() [0x401218]]", "address=0x401218 module=./a rest= [0x401218]"},
	{"glibc with functions", "[1] a.so(f+0) [0x56] (??:0)",
	 "address=0x56 delta=0 symbol=f module=a.so rest= [0x56]"},
	{"glibc without offsets", "[2] /srv/a() [0x401218] (??:?)", "address=0x401218 module=/srv/a rest= [0x401218]"},
	{"glibc without offsets", "./a() [0x401218]", "address=0x401218 module=./a rest= [0x401218]"},
	{"glibc without offsets", "[12.3] at a() [0x401218]", "address=0x401218 module=a rest= [0x401218]"},
	{"strace", " > /srv/a b() [0x401153]", "offset=0x401153 module=/srv/a b as_is= > /srv/a b rest= [0x401153]"},
	{"glibc with functions", "./a(_Z1fi+0x23)[0x56]",
	 "address=0x56 delta=0x23 symbol=_Z1fi module=./a rest=[0x56]"},
	{"glibc with demangled functions", "/srv/a(A::f(int (*)(int), A const&) const+0x23) [0x401218]",
	 "address=0x401218 delta=0x23 symbol=A::f(int (*)(int), A const&) const module=/srv/a rest= [0x401218]"},
	{"glibc with demangled functions", "/srv/a((anonymous namespace)::operator+(A, A)+0) [0x401218]",
	 "address=0x401218 delta=0 symbol=(anonymous namespace)::operator+(A, A) module=/srv/a rest= [0x401218]"},
	{"strace", " > /srv/a(f(int)+0x1a) [0x401153]",
	 "offset=0x401153 symbol=f(int) module=/srv/a as_is= > /srv/a rest= [0x401153]"},
	{"glibc", "[1] -> /srv/a(+0x126a) [0x557fb7]", "address=0x557fb7 offset=0x126a module=/srv/a rest= [0x557fb7]"},
	{"glibc with functions", "/srv/a(f+0x1) [0x401218]",
	 "address=0x401218 delta=0x1 symbol=f module=/srv/a rest= [0x401218]"},
	{"glibc with functions", "a.so(f+0) [0x56]", "address=0x56 delta=0 symbol=f module=a.so rest= [0x56]"},
	{"glibc", " a(+0x126A) [0x557FB7]", "address=0x557FB7 offset=0x126A module=a rest= [0x557FB7]"},
	{"glibc with functions", " a(_Z1fi+0x2C)[0x56A]",
	 "address=0x56A delta=0x2C symbol=_Z1fi module=a rest=[0x56A]"},
	{"dovecot", "Error: Raw backtrace: /srv/a(+0x126a) [0x557fb7] -> /srv/b(f+0x1) [0x55]",
	 "address=0x557fb7 offset=0x126a module=/srv/a"},
	{"dovecot", "/srv/a(f+0x1) [0x55] (f at a.c:3) -> srv/a(+0x126a) [0x557fb7] -> /srv/a(g+0x1) [0x55]",
	 "address=0x557fb7 offset=0x126a module=srv/a"},
	{"dovecot with functions",
	 "Error: Raw backtrace: srv/a [b 10.0.0.1](main+0x1f4) [0x557fb7] -> /srv/a(+0x1) [0x1]",
	 "address=0x557fb7 delta=0x1f4 symbol=main module=srv/a"},
	{"dovecot with functions",
	 "/srv/a(f+0x1) [0x55] (f at a.c:3) -> /srv/a(g+0x1) [0x55] -> srv/a [b 10.0.0.1](+0x1) [0x1]",
	 "address=0x55 delta=0x1 symbol=g module=/srv/a"},
	{"dovecot with functions", "/srv/a(f+0) [0x55] -> /srv/a(+0x1) [0x1] (g at a.c:3)",
	 "address=0x55 delta=0 symbol=f module=/srv/a"},
	{"envoy", "[1][critical][backtrace] [./source/server/backtrace.h:121] #1: [0x5c767fa19ec8]",
	 "number=1 address=0x5c767fa19ec8 as_is=#1:  rest=[0x5c767fa19ec8]"},
	{"envoy", "critical\tenvoy backtrace\t#12: a::f()::$_0::operator()() [0x55ea]\tthread=20",
	 "number=12 address=0x55ea symbol=a::f()::$_0::operator()() as_is=#12:  rest=[0x55ea]"},
	{"envoy mapping", "[1][critical][backtrace] [a.h:114] Address mapping: 5c767e15f000-5c7680bb8000 /srv/a b",
	 "start=5c767e15f000 end=5c7680bb8000 module=/srv/a b"},
	{"envoy mapping", "Address mapping: 5c767e15f000-5c7680bb8000 /srv/a\tthread=20",
	 "start=5c767e15f000 end=5c7680bb8000 module=/srv/a"},
	{"x server", "[ 12.3] (EE) 10: /srv/a (OsLookupColor+0x139) [0x56]",
	 "address=0x56 delta=0x139 symbol=OsLookupColor module=/srv/a as_is=: /srv/a ( rest=) [0x56]"},
	{"x server", "7: ./a (rte_eal_init+0x139) [55d0c1a5b3c2]",
	 "address=55d0c1a5b3c2 delta=0x139 symbol=rte_eal_init module=./a as_is=: ./a ( rest=) [55d0c1a5b3c2]"},
	{"x server without functions", "0: /usr/bin/a (aaaac1a50000+0xecc48) [aaaac1b3cc48]",
	 "address=aaaac1b3cc48 offset=0xecc48 module=/usr/bin/a as_is=: /usr/bin/a ( rest=) [aaaac1b3cc48]"},
	{"x server without functions", "[ 42.7] (EE) 3: /usr/bin/Xorg (0x400000+0xecc48) [0x4ecc48]",
	 "address=0x4ecc48 offset=0xecc48 module=/usr/bin/Xorg as_is=: /usr/bin/Xorg ( rest=) [0x4ecc48]"},
	{"python", "  Binary file \"/srv/a b\", at +0x3def0 [0x77]",
	 "address=0x77 offset=0x3def0 module=/srv/a b as_is=Binary file \"/srv/a b\", at  rest= [0x77]"},
	{"python with functions", "  Binary file \"/srv/a\", at _Py_DumpStack+0x42 [0x5b]",
	 "address=0x5b delta=0x42 symbol=_Py_DumpStack module=/srv/a as_is=Binary file \"/srv/a\", at  rest= [0x5b]"},
	{"python with functions", "  Binary file \"a\", at f+0 [0x5b]",
	 "address=0x5b delta=0 symbol=f module=a as_is=Binary file \"a\", at  rest= [0x5b]"},
	{"python without offsets", "  Binary file \"/srv/a\" [0x4f5e6d]",
	 "address=0x4f5e6d module=/srv/a as_is=Binary file \"/srv/a\" rest= [0x4f5e6d]"},
	{"ruby", "/srv/a.so(0x113f) [0x7f76db61b13f]",
	 "address=0x7f76db61b13f offset=0x113f module=/srv/a.so rest= [0x7f76db61b13f]"},
	{"ruby without symbols", "ruby(0x5645ab15a10b) [0x5645ab15a10b]",
	 "address=0x5645ab15a10b module=ruby rest= [0x5645ab15a10b]"},
	{"pytorch", "frame #8: <unknown function> + 0x2a94a8 (0x7fdf700f64a8 in /srv/a (1).so)",
	 "address=0x7fdf700f64a8 offset=0x2a94a8 module=/srv/a (1).so as_is=frame #8:  rest= (0x7fdf700f64a8 in /srv/a "
	 "(1).so)"},
	{"pytorch with functions", "frame #11: f_1 + 0x8b (0x5565dc54a71b in python)",
	 "address=0x5565dc54a71b delta=0x8b symbol=f_1 module=python as_is=frame #11:  rest= (0x5565dc54a71b in "
	 "python)"},
	{"clickhouse", "0. ? @ 0x000000000c802edb in /usr/bin/a",
	 "offset=0x000000000c802edb symbol=? module=/usr/bin/a as_is=0.  rest= @ 0x000000000c802edb in /usr/bin/a"},
	{"clickhouse", "{} <Fatal> BaseDaemon: 14. a::f(int @) const @ 0x1e1a3dd3 in /srv/a (1)/b",
	 "offset=0x1e1a3dd3 symbol=a::f(int @) const module=/srv/a (1)/b as_is=14.  rest= @ 0x1e1a3dd3 in /srv/a "
	 "(1)/b"},
	{"clickhouse complete", "BaseDaemon: 14. ../src/a.cpp:1039: a::f(int) @ 0x1e1a3dd3 in /srv/a", ""},
	{"perf with offsets", "\t    7f11f4 f(int)+0x10 (/srv/a+0x1139)",
	 "address=7f11f4 offset=0x1139 delta=0x10 symbol=f(int) module=/srv/a rest=(/srv/a+0x1139)"},
	{"perf", "\t            131e [unknown] (/srv/a)", "address=131e symbol=[unknown] module=/srv/a rest=(/srv/a)"},
	{"perf", "\t             ccd [unknown] (/srv/a)", "address=ccd symbol=[unknown] module=/srv/a rest=(/srv/a)"},
	{"perf", "a 32 15.2:  250000 cpu-clock:pppH:  ffffffff81 do_fork+0x5c ([kernel.kallsyms])",
	 "address=ffffffff81 delta=0x5c symbol=do_fork module=[kernel.kallsyms] rest=([kernel.kallsyms])"},
	{"perf", "              dd 24885 [001] 15.2:  250000 cpu-clock:       4013e4 f (/srv/a)",
	 "address=4013e4 symbol=f module=/srv/a rest=(/srv/a)"},
	{"perf", "              dd 24885 15.2:  250000 cpu-clock:       4013e4 f+0x5 (/srv/a)",
	 "address=4013e4 delta=0x5 symbol=f module=/srv/a rest=(/srv/a)"},
	{"perf", "cafe 24885/24886 250000 cpu-clock:       4013e4 f (/srv/a)",
	 "address=4013e4 symbol=f module=/srv/a rest=(/srv/a)"},
	{"perf", "\t    7f11f4 drop<(A, ([u8; 4], u32))> (/srv/a)",
	 "address=7f11f4 symbol=drop<(A, ([u8; 4], u32))> module=/srv/a rest=(/srv/a)"},
	{"perf with offsets", "\t    7f11f4 f (/srv/a (deleted)+0x1139)",
	 "address=7f11f4 offset=0x1139 symbol=f module=/srv/a deleted= (deleted) rest=(/srv/a (deleted)+0x1139)"},
	{"perf", "\t            131e [unknown] (/srv/a (deleted))",
	 "address=131e symbol=[unknown] module=/srv/a deleted= (deleted) rest=(/srv/a (deleted))"},
	{"perf", "        7ffdc8d42131 main+0x5 (/srv/a)",
	 "address=7ffdc8d42131 delta=0x5 symbol=main module=/srv/a rest=(/srv/a)"},
	{"perf", "             131e main (/srv/a)",
	 "address=131e symbol=main module=/srv/a alone=              rest=(/srv/a)"},
	{"perf with offsets", " ffffffff81000e06 f (/srv/a+0x1139)",
	 "address=ffffffff81000e06 offset=0x1139 symbol=f module=/srv/a alone=  rest=(/srv/a+0x1139)"},
	{"perf without functions", "             131e (/srv/a)",
	 "address=131e module=/srv/a alone=  as_is=              rest=(/srv/a)"},
	{"perf without functions", "\t             ccd (/srv/a)",
	 "address=ccd module=/srv/a as_is=\t              rest=(/srv/a)"},
	{"perf without functions", "\tffffffff81000e06 ([kernel.kallsyms])",
	 "address=ffffffff81000e06 module=[kernel.kallsyms] as_is=\t rest=([kernel.kallsyms])"},
	{"perf without functions", "\t            131e (/srv/a (deleted))",
	 "address=131e module=/srv/a deleted= (deleted) as_is=\t             rest=(/srv/a (deleted))"},
	{"perf complete", "\t            131e main+0x5 (/srv/a (deleted)) /srv/a.c:3",
	 "symbol=main+0x5 module=/srv/a deleted= (deleted)"},
	{"perf", "\t            131e main (/srv/a)", "address=131e symbol=main module=/srv/a rest=(/srv/a)"},
	{"perf complete", "\t            131e main+0x5 (/srv/a) /srv/a.c:3", "symbol=main+0x5 module=/srv/a"},
	{"perf inlined", "\t            131e square (inlined)", "address=131e"},
	{"perf inlined", "  7f11f4aad131 a::b(int)+0x12 (inlined)", "address=7f11f4aad131"},
	{"perf inlined", "\t            131e (inlined)", "address=131e"},
	{"perf complete", "\t            131e square (inlined) /srv/a.c:3", "symbol=square"},
	{"perf complete", "\tffffffff81 do_read+0x5 ([kernel.kallsyms]) read.c:3",
	 "symbol=do_read+0x5 module=[kernel.kallsyms]"},
	{"valgrind complete", "==1==    at 0x1093F1: main (shop.c:3)", ""},
	{"valgrind complete", "==1==    by 0x1FFF0009C6: ???", ""},
	{"eu-unstrip", "0x55+0x5000 " ID "@0x368 /srv/a b - /srv/a b",
	 "start=0x55 length=0x5000 module=/srv/a b build_id=" ID},
	{"eu-unstrip", "0x7f+0x1e1f50 " ID "@0x380 /lib/libc.so.6 /usr/lib/debug/.build-id/93/ac.debug libc.so.6",
	 "start=0x7f length=0x1e1f50 module=/lib/libc.so.6 build_id=" ID},
	{"eu-unstrip", "0x55+0x5000 " ID "@0x368 . - /srv/a b",
	 "start=0x55 length=0x5000 module=/srv/a b build_id=" ID},
	{"eu-unstrip", "0x55+0x5000 - - /usr/lib/debug/liba.so.debug liba.so",
	 "start=0x55 length=0x5000 module=liba.so"},
	{"lldb mapping", "[  0] B97EF966-B99A-C120-5A6E-24B0452E8734-44D7A93D 0x0000557596d0d000 /srv/a b ",
	 "start=0x0000557596d0d000 module=/srv/a b build_id=B97EF966-B99A-C120-5A6E-24B0452E8734-44D7A93D"},
	{"lldb mapping", "[  0] AB12CD34 0x0000000000400000 /srv/a", "start=0x0000000000400000 module=/srv/a"},
	{"lldb mapping", "[ 10] 0x00007ffb4ee00000 /srv/a", "start=0x00007ffb4ee00000 module=/srv/a"},
	{"lldb mapping", "[  1]                                      0x00007ffb4ee00000 /srv/a",
	 "start=0x00007ffb4ee00000 module=/srv/a"},
	{"perf mapping", "a 1 2.3: PERF_RECORD_MMAP2 1/1: [0x55(0x1000) @ 0x2000 fe:00 14 17]: r-xp /srv/a b",
	 "start=0x55 length=0x1000 offset=0x2000 module=/srv/a b process=1"},
	{"perf mapping", "a 1 2.3: PERF_RECORD_MMAP2 1/1: [0x55(0x1000) @ 0 <" ID ">]: r-xp /srv/a",
	 "start=0x55 length=0x1000 offset=0 module=/srv/a build_id=" ID " process=1"},
	{"perf mapping", "a 0 2.3: PERF_RECORD_MMAP -1/0: [0xffffffffc0000000(0x1000) @ 0]: x /lib/a.ko",
	 "start=0xffffffffc0000000 length=0x1000 offset=0 module=/lib/a.ko process=-1"},
	{"perf fork", "a 2389 1.5: PERF_RECORD_FORK(2507:2508):(2389:2390)", "process=2507 thread=2508 parent=2389"},
	{"perf exec", "a 2389 1.5: PERF_RECORD_COMM exec: a:b c:2389/2389", "process=2389"},
	{"perf build-id", ID " /srv/a", "module=/srv/a build_id=" ID},
	{"maps", "55c709937000-55c709938000 r-xp 00001000 fe:00 14    /srv/a (deleted)",
	 "start=55c709937000 end=55c709938000 offset=00001000 module=/srv/a deleted= (deleted)"},
	{"maps", "4000-5000 r--p 00000000 00:1b 14 /srv/a", "start=4000 end=5000 offset=00000000 module=/srv/a"},
	{"gdb mapping", "      0x558bd6a5f000     0x558bd6a60000     0x1000        0x0 /srv/a",
	 "start=0x558bd6a5f000 end=0x558bd6a60000 length=0x1000 offset=0x0 module=/srv/a"},
	{"gdb mapping", "      0x558bd6a5f000     0x558bd6a60000     0x1000        0x0  r-xp   /srv/a",
	 "start=0x558bd6a5f000 end=0x558bd6a60000 length=0x1000 offset=0x0 module=/srv/a"},
	{"gdb mapping", "\t 0x8048000  0x8049000     0x1000        0x0 /srv/a b",
	 "start=0x8048000 end=0x8049000 length=0x1000 offset=0x0 module=/srv/a b"},
	{"gdb mapping", "0x0000558bd6a5f000 0x0000558bd6a60000 0x1000             0x0                r-xp  /srv/a ",
	 "start=0x0000558bd6a5f000 end=0x0000558bd6a60000 length=0x1000 offset=0x0 module=/srv/a"},
	{"kernel instruction", "[ 1.2] RIP: 0010:ext4_put+0x26/0x44 [ext4]",
	 "delta=0x26 size=0x44 symbol=ext4_put module=ext4 as_is=RIP: 0010: rest= [ext4]"},
	{"kernel instruction", "pc : f+0x10/0x40 lr : x", "delta=0x10 size=0x40 symbol=f as_is=pc : "},
	{"kernel instruction", "[ 1.2] RIP: 0010:[<ffffffff81>]  [<ffffffff81>] f+0x1/0x2",
	 "delta=0x1 size=0x2 symbol=f as_is=RIP: 0010:[<ffffffff81>]  [<ffffffff81>] "},
	{"kernel instruction", "[ 1.2] RIP  [<ffffffff81>] f+0x1/0x2",
	 "delta=0x1 size=0x2 symbol=f as_is=RIP  [<ffffffff81>] "},
	{"kernel instruction", "IP: [<ffffffff81>] f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=IP: [<ffffffff81>] "},
	{"kernel instruction", "IP: f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=IP: "},
	{"kernel instruction", "TPC: <f+0x1/0x2>", "delta=0x1 size=0x2 symbol=f as_is=TPC: <"},
	{"kernel instruction", "PC: <f+0x1/0x2>", "delta=0x1 size=0x2 symbol=f as_is=PC: <"},
	{"kernel instruction", "PC: [<0010>] f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=PC: [<0010>] "},
	{"kernel instruction", "pc is at f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=pc is at "},
	{"kernel instruction", "IAOQ[0]: f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=IAOQ[0]: "},
	{"kernel instruction", "EIP is at f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=EIP is at "},
	{"kernel instruction", "PC is at f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=PC is at "},
	{"kernel instruction", "[ 1.2] epc : f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=epc : "},
	{"kernel instruction", "epc   : 801 f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=epc   : 801 "},
	{"kernel instruction", "NIP [c01] f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=NIP [c01] "},
	{"kernel instruction", "NIP f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=NIP "},
	{"kernel instruction", "   ERA: 901 f+0x1/0x2", "delta=0x1 size=0x2 symbol=f as_is=ERA: 901 "},
	{"kernel instruction", "Krnl PSW : 07 01 (f+0x1/0x2)", "delta=0x1 size=0x2 symbol=f as_is=Krnl PSW : 07 01 ("},
	{"kernel instruction", "[ 1.2] --- interrupt: 700 at f+0x1/0x2 [m]",
	 "delta=0x1 size=0x2 symbol=f module=m as_is=interrupt: 700 at  rest= [m]"},
	{"kernel instruction", "BUG: KFENCE: out-of-bounds read in f+0x1/0x2",
	 "delta=0x1 size=0x2 symbol=f as_is=BUG: KFENCE: out-of-bounds read in "},
	{"kernel", "BUG: KFENCE: memory corruption in f+0x1/0x2", "delta=0x1 size=0x2 symbol=f"},
	{"kernel warning", "WARNING: CPU: 0 PID: 8 at k/a.c:27 f+0x1/0x2()",
	 "delta=0x1 size=0x2 symbol=f as_is=WARNING: CPU: 0 PID: 8 at k/a.c:27 "},
	{"kernel warning", "WARNING: at k/a.c:27 f+0x1/0x2()",
	 "delta=0x1 size=0x2 symbol=f as_is=WARNING: at k/a.c:27 "},
	{"kernel instruction", "WARNING: k/a.c:27 at f+0x1/0x2 [m], CPU#0: sh/8",
	 "delta=0x1 size=0x2 symbol=f module=m as_is=WARNING: k/a.c:27 at  rest= [m]"},
	{"kernel instruction", "WARNING: at f+0x1/0x2, CPU#0: sh/8", "delta=0x1 size=0x2 symbol=f as_is=WARNING: at "},
	{"kernel instruction in a stack", "[ 1.2]  f+0x1/0x2 [m] (P)",
	 "delta=0x1 size=0x2 symbol=f module=m rest= [m]"},
	{"kernel instruction in a stack", " f+0x1/0x2 (PK)", "delta=0x1 size=0x2 symbol=f"},
	{"kernel", " f+0x1/0x2 (L)", "delta=0x1 size=0x2 symbol=f"},
	{"kernel", " f+0x1/0x2 [m] (CF)", "delta=0x1 size=0x2 symbol=f module=m rest= [m]"},
	{"kernel", "RPC: <f+0x1/0x2>", "delta=0x1 size=0x2 symbol=f"},
	{"kernel", "LR is at f+0x1/0x2", "delta=0x1 size=0x2 symbol=f"},
	{"kernel", " ra : f+0x1/0x2", "delta=0x1 size=0x2 symbol=f"},
	{"kernel", "LR [c01] f+0x1/0x2", "delta=0x1 size=0x2 symbol=f"},
	{"kernel", "[c01] [c02] f+0x1/0x2 (unreliable)", "delta=0x1 size=0x2 symbol=f"},
	{"kernel", "[ 1.2]  ? __x64_sys.cold+0x6a/0x6f", "delta=0x6a size=0x6f symbol=__x64_sys.cold"},
	{"kernel", " f+0x1/0x2 [nf_tables " ID "]",
	 "delta=0x1 size=0x2 symbol=f module=nf_tables build_id=" ID " rest= [nf_tables " ID "]"},
	{"rust", "   3:     0x562be6823cef - <unknown>",
	 "number=3 address=0x562be6823cef first=3:     0x562be6823cef - "},
	{"glibc without module", "[0x401218]", "address=0x401218 rest=[0x401218]"},
	{"node", " 1: 0xd3a3c0  [node]", "number=1 address=0xd3a3c0 module=node first= 1: 0xd3a3c0  rest=[node]"},
	{"node", "12: 0xf50bdf v8::f(int, A*) [clone .cold] [/usr/bin/node]",
	 "number=12 address=0xf50bdf symbol=v8::f(int, A*) [clone .cold] module=/usr/bin/node first=12: 0xf50bdf  "
	 "rest=[/usr/bin/node]"},
	{"glog", "    @           0x40141e f(int)", "address=0x40141e symbol=f(int) as_is=@           0x40141e"},
	{"glog", "    @     0x7f8f6d9001ed  a::f() const",
	 "address=0x7f8f6d9001ed symbol=a::f() const as_is=@     0x7f8f6d9001ed"},
	{"glog", "    @     0x7f8f6d9001ed", "address=0x7f8f6d9001ed as_is=@     0x7f8f6d9001ed"},
	{"glog", "[1]     @ 0x40141e (unknown)", "address=0x40141e symbol=(unknown) as_is=@ 0x40141e"},
	{"glog", "    @ 0x40141e         48  f()", "address=0x40141e symbol=f() as_is=@ 0x40141e         48"},
	{"glog", "    @ 0x40141e  (unknown)  (unknown)",
	 "address=0x40141e symbol=(unknown) as_is=@ 0x40141e  (unknown)"},
	{"glog instruction", "PC: @           0x40141e f()",
	 "address=0x40141e symbol=f() as_is=PC: @           0x40141e"},
	{"glog instruction", "1 PC: @ 0x40141e  (unknown)  f()",
	 "address=0x40141e symbol=f() as_is=PC: @ 0x40141e  (unknown)"},
	{"folly", "    @ 000000000040141e a::f(int) const",
	 "address=000000000040141e symbol=a::f(int) const as_is=@ 000000000040141e"},
	{"folly", "    @ 00007f5e5f6cfd4c (unknown)",
	 "address=00007f5e5f6cfd4c symbol=(unknown) as_is=@ 00007f5e5f6cfd4c"},
	{"boost", " 0# 0x000055BC1F20D310 in ./a", "number=0 address=0x000055BC1F20D310 module=./a first= 0# "},
	{"boost", "at:  1# 0x00401218 in /srv/a b", "number=1 address=0x00401218 module=/srv/a b first= 1# "},
	{"boost", "12# 0x000055BC1F20D310 in a", "number=12 address=0x000055BC1F20D310 module=a first=12# "},
	{"gdb place", "0x0000558b in ?? ()", "address=0x0000558b symbol=?? as_is=0x0000558b in "},
	{"gdb place", "* 1    Thread 0x7ffff7a6d740 (LWP 7) \"a b\" 0x0000558b in kill () from /srv/a b",
	 "address=0x0000558b symbol=kill module=/srv/a b as_is=0x0000558b in  rest= from /srv/a b"},
	{"gdb place", "Breakpoint 1, 0x0000558b in ?? ()", "address=0x0000558b symbol=?? as_is=0x0000558b in "},
	{"fortran", "#13  0x40118f in ???", "number=13   address=0x40118f"},
	{"intel fortran", "a.out              000000000040404D  Unknown               Unknown  Unknown",
	 "address=000000000040404D symbol=Unknown module=a.out as_is=a.out              000000000040404D   rest=       "
	 "    "
	 "    Unknown  Unknown"},
	{"intel fortran", " 5 libmpi.so.40.10.4  000014A0EAC4A941  PMPI_Comm_size        Unknown  Unknown",
	 "address=000014A0EAC4A941 symbol=PMPI_Comm_size module=libmpi.so.40.10.4 as_is=libmpi.so.40.10.4  "
	 "000014A0EAC4A941   rest=        Unknown  Unknown"},
	{"memleak", "\t\t0x0000559b478876ee\tserverCron+0x2e [redis-server]",
	 "address=0x0000559b478876ee delta=0x2e symbol=serverCron module=redis-server as_is=\t\t0x0000559b478876ee\t "
	 "rest= [redis-server]"},
	{"memleak with demangled functions", "\t\t0x0000559b478876ee\ta::f(int) const+0x2e [a b]",
	 "address=0x0000559b478876ee delta=0x2e symbol=a::f(int) const module=a b as_is=\t\t0x0000559b478876ee\t "
	 "rest= [a b]"},
	{"memleak with demangled functions", "\t\t0x0000559b478876ee\t[unknown] [a]",
	 "address=0x0000559b478876ee module=a as_is=\t\t0x0000559b478876ee\t rest= [a]"},
	{"haproxy", "             | 0x5645b825a587 [48 83 c4 10 5b 5d 41 5c]: wdt_handler+0x107/0x114",
	 "address=0x5645b825a587 delta=0x107 size=0x114 symbol=wdt_handler as_is=| 0x5645b825a587 [48 83 c4 10 5b 5d "
	 "41 "
	 "5c]: "},
	{"haproxy", "  | 0x5645b825a587 [48 83]: main+0x1bd9a5",
	 "address=0x5645b825a587 delta=0x1bd9a5 symbol=main as_is=| 0x5645b825a587 [48 83]: "},
	{"systemtap", " 0x40115e : mid+0x10/0x20 [/srv/a b]",
	 "delta=0x10 size=0x20 symbol=mid module=/srv/a b as_is=0x40115e :  rest= [/srv/a b]"},
	{"systemtap", " 0x40115e : mid+0x10/0x20 [/srv/a] (inexact)",
	 "delta=0x10 size=0x20 symbol=mid module=/srv/a as_is=0x40115e :  rest= [/srv/a] (inexact)"},
	{"kernel", " 0xffffffff8120d4d0 : SyS_write+0x1/0xc0 [kernel]", "delta=0x1 size=0xc0 symbol=SyS_write"},
	{"d", "??:? [0x561bb96d0de1]", "address=0x561bb96d0de1 rest=[0x561bb96d0de1]"},
	{"d", "??:? ???[0x561bb96d0de1]", "address=0x561bb96d0de1 symbol=??? rest=[0x561bb96d0de1]"},
	{"d", "??:? void a.f(char[][], int) [0x561bb]",
	 "address=0x561bb symbol=void a.f(char[][], int) rest=[0x561bb]"},
	{"pascal", "  $00401136", "address=00401136 as_is=  $00401136"},
	{"pascal", "  $00000000004010D7", "address=00000000004010D7 as_is=  $00000000004010D7"},
	{"esp-idf instruction", "PC      : 0x400d1234  PS      : 0x00060330", "address=0x400d1234"},
	{"esp-idf instruction", "MEPC    : 0x420228c8  RA      : 0x4202292a", "address=0x420228c8"},
	{"zephyr instruction", "<err> os: Faulting instruction address (r15/pc): 0x00001234", "address=0x00001234"},
	{"esp-idf caller", "  RA      : 0x4202292a  SP      : 0x3fcad480", "address=0x4202292a"},
	{"zephyr caller", "r3/a4:  0x10a21878 r12/ip:  0x00000000 r14/lr:  0x00001235", "address=0x00001235"},
	{"esp-idf stack", "Backtrace: 0x400d1234:0x3ffb1230 0x400d5678:0x3ffb1250", "address=0x400d1234"},
	{"esp-idf stack", "Backtrace:0x400D1234:0x3FFB1230 |<-CORRUPTED", "address=0x400D1234"},
	{"gnat", "0x405450 0x405431 0x7f7bd6445248", "address=0x405450"},
	{"gnat", "0x405450", "address=0x405450"},
	{"backward", "#2    Object \"/srv/a b\", at 0x4037a0, in main", "address=0x4037a0 module=/srv/a b"},
	{"backward", "#12   Object \"./a\", at 0x4037a0, in ", "address=0x4037a0 module=./a"},
	{"go frame", "	/src/a.go:10 +0x25 fp=0xc00004bf80 sp=0xc00004bf68 pc=0x45ac05", "address=0x45ac05"},
	{"go", "\tpc=0x45f1a7", "address=0x45f1a7"},
	{"go", "PC=0x45f1a7 m=0 sigcode=1", "address=0x45f1a7"},
	{"bpftrace", ID " 0x13f1", "offset=0x13f1 build_id=" ID},
	{"bpftrace", "\t" ID " 0x13f1", "offset=0x13f1 build_id=" ID},
	{"build-id and file offset", "at " ID " 0x13f1", "offset=0x13f1 build_id=" ID},
	{"build-id and file offset", ID " 0x13f1 2", "offset=0x13f1 build_id=" ID},
	{"build-id and address", "at " ID ":0x13f1", "offset=0x13f1 build_id=" ID},
	{"build-id and address", "at (" ID "+0x13f1)", "offset=0x13f1 build_id=" ID},
	{"eu-stack build-id", "    [" ID "]@0x558c7e728000+0x132f", "offset=0x132f build_id=" ID},
	{"module and address", "in /srv/a+0x13f1, b", "offset=0x13f1 module=/srv/a"},
	{"mtrace", "@ ./a b:[0x1165] + 0x55dcfec8d2a0 0xb", "offset=0x1165 module=./a b"},
	{"mtrace", "@ /srv/a:(f+c)[0x1165] - 0x55dcfec8d2a0", "offset=0x1165 module=/srv/a"},
	{"module and address", "in './a+0x13f1'", "offset=0x13f1 module=./a"},
	{"module and address", "{\"at\": \"a.so+0x13f1\"", "offset=0x13f1 module=a.so"},
	{"module and address", "`/srv/a+0x13f1'", "offset=0x13f1 module=/srv/a"},
	{"module and address", "f.part/a+0x1", "offset=0x1 module=f.part/a"},
	{"module and address", "/srv/f.part.0+0x1", "offset=0x1 module=/srv/f.part.0"},
	{"module and address", "(libc.so.6+0x1)", "offset=0x1 module=libc.so.6"},
};

enum { EXAMPLE_COUNT = sizeof(examples) / sizeof(examples[0]) };

/* Lines that are near to a form, and none. */
static const char *const others[] = {
	"a[17]: segfault at 56 ip 56 sp 7f error 15 in a[55+1000]",
	"a[17]: segfault at 0 ip 56 sp 7f error 4 in a[55+1000] (main at a.c:3)",
	"#3  0x55fa02576147",
	"#3 0x000055fa02576147 f",
	"#01: f(int) (a.c:3)",
	"@ ./a:[0x1165] (f at a.c:3) + 0x55dcfec8d2a0 0xb",
	"main+0x12",
	"f.isra.0+0x12",
	"f.constprop.0.cold+0x12 [a]",
	" => /srv/a[+0x12]",
	"f(int) [0x401218]",
	"a + 0x10",
	"cafe 0x10",
	"bad f+0x10 (/srv/a)",
	"n1: 36009 0x1093F1: ??? (in /srv/a) (f at a.c:3)",
	",\"0x1093F1: ??? (in /srv/a)\"",
	"./a(square+0x3) [0x55] at a.c:3",
	"0: /srv/a (f+0x3) [0x55] at a.c:3",
	"Binary file \"/srv/a\", at f+0x3 [0x55] at a.c:3",
	"Binary file \"/srv/a\", at f-0x3 [0x55]",
	"Binary file '<unknown>' [0x55555]",
	"f+0x10/0x40 (a.c:3)",
	"f+0x10/0x40 (a.c:3) (unreliable)",
	"f+0x10/0x40 (a.c:3) (P)",
	"C  [liba.so+0x110d]  deeper+0x4  (a.c:3)",
	"at [liba.so+0x110d]",
	" > /srv/a(f+0x1a) [0x1153] at a.c:3",
	" > /srv/a (deleted)(f+0x1a) [0x1153] at a.c:3",
	"/srv/a+0x10 (main at a.c:3)",
	"    [" ID "]@0x558c7e728000+0x132f (main at a.c:3)",
	"pc=0x45f1a7 (main at a.c:3)",
	"PC=0x45f1a7 (main at a.c:3) m=0 sigcode=0",
	"   200:   439800 [   200:   439800] @ 0x55c110431336 0x55c110431155",
	"    @ 0x40141e  f(int) at a.c:3",
	"PC: @ 0x40141e  g (inlined)",
	"    @ 000000000040141e f(int) at a.c:3",
	"    @ 000000000040141e g (inlined)",
	"    @ 000000000040141e",
	"PC: @ 0x40141e  f(int) at a.c:3",
	"IPC: @ 0x40141e  f(int)",
	"#2    Object \"./a\", at 0x4037a0 (main at a.c:3), in main",
	"#6    Object \"[0xffffffffffffffff]\", at 0xffffffffffffffff, in ",
	" 1: 0xd3a3c0 v8::f(int) [node] a.cc:3",
	"1: 0xd3a3c0 f [0x55]",
	"Killed process 131e (/srv/a)",
	"\t131e (/srv/a)",
	"#0  0x000055 main (shop + 0x1139) at a.c:3",
	"a.d:10 void a.f(int) [0x561bb96d0de1]",
	"  $00000000004010D7  Nested,  line 8 of a.pas",
	"  $HOME",
	"0x405450 0x405431 (f at a.adb:3)",
	"0x405450 in f",
	"/srv/a(+0x1) [0x1] (f at a.c:3) -> /srv/a(g+0x1) [0x55] (g at a.c:5)",
	"/srv/a(+0x1) [0x1] (f at a.c:3) -> /srv/a [b](g+0x1) [0x55] (g at a.c:5) -> ",
	"   1# f(int) at /srv/a.cpp:12 [0x401218]",
	"PC      : 0x400d1234",
	"0x400d1234:0x3ffb1230 0x400d5678:0x3ffb1250",
	"Backtrace: 0x400d1234:0x3ffb1230 (main at a.c:3) 0x400d5678:0x3ffb1250 (main at a.c:3)",
	"read(0x5645ab15a10b) [0x20]",
	"[2] /srv/a(+0x126a) [0x557fb7] (a.c:3)",
	"5. ? @ 0x00007f1c2a7d9d8f in ?",
	"frame #4: a::f(int) + 0x1b (0x7fdf700f64a8 in /srv/a.so)",
	"frame #4: f+0x1b (0x7fdf700f64a8 in /srv/a.so) at a.c:3",
	"/srv/a.so(f+0x3) [0x55] a.c:3",
	" 0x405450 0x405431",
	"a.out              000000000040404D  MAIN__                      8  a.f90",
	"a.out              000000000040404D  f  a.f90:8",
	"\t\t0x0000559b478876ee\t[unknown]",
	"\t\t0xffffffff81234567\tvfs_write+0x2e [kernel]",
	"\t\t0x0000559b478876ee\tf+0x2e [a] at a.c:3",
	"             | 0x7f4830fc5730 [48 c7]: libpthread:+0x12730",
	"             | 0x7f4830fc5730 [48 c7]: libc:gsignal+0x10f/0x1a0",
	" 0x40115e : mid+0x10/0x20 [/srv/a] at a.c:3",
	"#3  0x000055fa02576147 - [vdso: 12]",
	"#1: f() [0x55ea] at a.c:3",
	"#1: f() [0x55ea] at a.c:3\tthread=20",
	"a 1 2.3: 1 branches:u:   4013e4 main+0x4 (/srv/a) =>   401500 f+0x0 (/srv/b)",
	"a 1 2.3: 1 branches:   ffffff81 exit+0x4 ([kernel.kallsyms]) =>   401500 f (/srv/b)",
	"0x0000558b in main () at a.c:3",
	"#1  at 0x0000558b",
	"0x55+0x2000 " ID "@0x604 . - [vdso: 12]",
	"0x55+0x2000 " ID "@0x604 . - linux-vdso.so.1",
	"[  1] E0251283-45CE-65B7-19DA-B776555F2B64-EE0204A1 0x00007ffb4f150000 [vdso] (0x00007ffb4f150000)",
	"Address mapping: ",
	"Address mapping: 1000-2000 a",
};

static void put_fields(const struct form_match *match, char *ret)
{
	*ret = '\0';
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const struct locus_string *field = &match->fields[i];
		if (field->size)
			ret += sprintf(ret, " %s=%.*s", form_field_name(i), (int)field->size, field->data);
	}
}

/* Lest PCRE2 ends the process where memory is out: see the table. */
static void no_group_is_repeated_lazily_and_maybe_not_at_all(void **state)
{
	size_t count;
	const struct form *table = forms_table(&count);

	(void)state;
	for (size_t i = 0; i < 2 * count; i++) {
		const char *pattern = i < count ? table[i].pattern : table[i - count].header;
		for (const char *at = pattern; at && (at = strchr(at, ')')); at++) {
			size_t bounds = strncmp(at, "){0,", 4) == 0 ? strcspn(at, "}") : 1;
			if ((bounds > 1 || at[bounds] == '*') && at[bounds + 1] == '?')
				fail_msg("%s: %s", table[i % count].name, at);
		}
	}
}

static void examples_are_recognised(void **state)
{
	struct forms *forms = forms_new();

	(void)state;
	assert_non_null(forms);
	/* Twice, and backwards: what matched before is tried first, and must not change what matches. */
	for (size_t i = 0; i < 2 * EXAMPLE_COUNT; i++) {
		size_t at = i < EXAMPLE_COUNT ? i : 2 * EXAMPLE_COUNT - 1 - i;
		struct form_match match;
		char fields[1024];
		assert_true(forms_match(forms, examples[at].line, strlen(examples[at].line), &match));
		assert_string_equal(match.form->name, examples[at].form);
		put_fields(&match, fields);
		assert_string_equal(fields[0] ? fields + 1 : fields, examples[at].fields);
	}
	forms_free(forms);
}

static void assert_examples_before(const char *end)
{
	struct forms *forms = forms_new();

	for (size_t i = 0; i < EXAMPLE_COUNT; i++) {
		struct form_match match;
		char line[1024], fields[1024];
		int size = snprintf(line, sizeof(line), "%s%s", examples[i].line, end);
		assert_true(forms_match(forms, line, (size_t)size, &match));
		assert_string_equal(match.form->name, examples[i].form);
		put_fields(&match, fields);
		assert_string_equal(fields[0] ? fields + 1 : fields, examples[i].fields);
	}
	forms_free(forms);
}

/* As the last line of a text may that was cut off there. */
static void a_return_may_be_at_the_end(void **state)
{
	(void)state;
	assert_examples_before("\r");
}

/* As in what was copied from a terminal, or came by mail. */
static void blanks_may_be_at_the_end(void **state)
{
	(void)state;
	assert_examples_before(" ");
	assert_examples_before(" \t  \r");
}

static const struct {
	const char *line, *program; /* NULL: the module is no part of a title */
} titles[] = {
	{"redis-server *:6379(+0x126a)[0x557fb7]", "redis-server"},
	{"redis-server *:6379(main+0x2c)[0x557fb7]", "redis-server"},
	{"\tpostgres: user base [local] idle(errfinish+0x1f2) [0x557fb7]", "postgres"},
	{"  postgres: user base 10.0.0.1(5312) SELECT(+0x1f2) [0x557fb7]", "postgres"},
	{"a b(+0x1)[0x1]", "a"},
	{"a: b(+0x1)[0x1]", "a"},
	{"a:b(+0x1)[0x1]", NULL},
	{"a(+0x1) [0x1]", NULL},
	{"a:  b(+0x1)[0x1]", NULL},
	{"a  b(+0x1)[0x1]", NULL},
	{": b(+0x1)[0x1]", NULL},
	{"shop(+0x126a)[0x557fb7]", NULL},
	{"shop:(+0x126a)[0x557fb7]", NULL},
	{" shop(+0x126a)[0x557fb7]", NULL},
	{"shop: ./helper(+0x126a)[0x557fb7]", NULL},
	{"redis-server /lib/a.so(+0x126a)[0x557fb7]", NULL},
	{"redis-server rdb a/b:1(main+0x1)[0x557fb7]", NULL},
	{"perf 12 C  [libc.so.6+0x1]", NULL},
	{"/srv/a b/app(+0x1) [0x1]", "/srv/a"},
	{"/srv/a: b/app(+0x1) [0x1]", NULL},
	{"/srv/a /b/app(+0x1) [0x1]", NULL},
	{"/srv/a ./b/app(+0x1) [0x1]", NULL},
	{"srv/a b/app(+0x1) [0x1]", NULL},
	{"postgres: user base [local] idle() [0x557fb7]", "postgres"},
	{"./a() [0x557fb7]", NULL},
};

/* Twice, the second time behind a line that has a title. */
static void programs_with_titles(void **state)
{
	enum { COUNT = sizeof(titles) / sizeof(titles[0]) };
	struct forms *forms = forms_new();
	struct form_match match;

	(void)state;
	for (size_t i = 0; i < 2 * COUNT; i++) {
		const char *line = titles[i % COUNT].line, *program = titles[i % COUNT].program;
		if (i >= COUNT)
			assert_true(forms_match(forms, titles[0].line, strlen(titles[0].line), &match));
		assert_true(forms_match(forms, line, strlen(line), &match));
		if (match.program.size != (program ? strlen(program) : 0) ||
		    (program && memcmp(match.program.data, program, match.program.size) != 0))
			fail_msg("'%s': '%.*s'", line, (int)match.program.size, match.program.data);
	}
	forms_free(forms);
}

static const struct {
	const char *line, *path; /* NULL: the module is no part of a longer path */
} paths_with_blanks[] = {
	{"/srv/a b(+0x126a)[0x557fb7]", "/srv/a b"},
	{"app: /srv/a b/c(f+0x1) [0x557fb7]", "/srv/a b/c"},
	{"[1] ./a b c() [0x557fb7]", "./a b c"},
	{"x\t/srv/a b(+0x1) [0x1]", "/srv/a b"},
	{"/bin/log /srv/a b(+0x1) [0x1]", "/srv/a b"},
	{"/srv/a /srv/b(+0x1) [0x1]", NULL},
	{"/srv/a ./b(+0x1) [0x1]", NULL},
	{"redis-server 1/2 *:6379(+0x1) [0x1]", NULL},
	{"app: b(+0x1) [0x1]", NULL},
	{"b(+0x1) [0x1]", NULL},
};

static void paths_may_have_blanks(void **state)
{
	struct forms *forms = forms_new();
	struct form_match match;

	(void)state;
	for (size_t i = 0; i < sizeof(paths_with_blanks) / sizeof(paths_with_blanks[0]); i++) {
		const char *line = paths_with_blanks[i].line, *path = paths_with_blanks[i].path;
		assert_true(forms_match(forms, line, strlen(line), &match));
		if (match.path.size != (path ? strlen(path) : 0) ||
		    (path && memcmp(match.path.data, path, match.path.size) != 0))
			fail_msg("'%s': '%.*s'", line, (int)match.path.size, match.path.data);
	}
	forms_free(forms);
}

static void every_form_has_an_example(void **state)
{
	size_t count;
	const struct form *table = forms_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;
		while (at < EXAMPLE_COUNT && strcmp(examples[at].form, table[i].name) != 0)
			at++;
		if (at == EXAMPLE_COUNT)
			fail_msg("no example of %s", table[i].name);
	}
}

/* A line that is no candidate in a text is compared with no form. */
static void examples_are_looked_at(void **state)
{
	static struct text_stream stream;

	(void)state;
	for (size_t i = 0; i < EXAMPLE_COUNT; i++) {
		struct text_piece piece;
		ssize_t size = (ssize_t)strlen(examples[i].line);
		int fd = memfd_create("line", MFD_CLOEXEC);
		assert_true(fd >= 0 && write(fd, examples[i].line, (size_t)size) == size &&
			    lseek(fd, 0, SEEK_SET) == 0);
		text_stream_init(&stream, fd);
		while (!stream.ended)
			text_stream_read(&stream);
		assert_true(text_stream_next(&stream, &piece));
		if (!piece.is_candidate)
			fail_msg("'%s' is not looked at", examples[i].line);
		close(fd);
	}
}

static void other_lines_are_not(void **state)
{
	struct forms *forms = forms_new();
	struct form_match match;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (forms_match(forms, others[i], strlen(others[i]), &match))
			fail_msg("'%s' matches %s", others[i], match.form->name);
	}
	forms_free(forms);
}

/* What a careless pattern would try from everywhere, in a line that has it again and again. */
static const char *const repeated[] = {
	"#1 0x1 in ",
	"/a(",
	"a/b+",
	"PERF_RECORD_MMAP2 1/1: [0x1(0x1) @ ",
	"at 0x1: f (in /a",
	"0x1 ",
	"1: 0x1 - ",
	"#1 pc 00000000  /a ",
	"#1 abs 00000000 virt 00000000 /a",
	"#1 pc 00000000  /a (+1) ",
	"f+0x1/0x",
	"((((",
	"Module a ",
	" > /a(f",
	"C  [a+0x1]  f+0x1 ",
	"#1 a:1 (b+0x1",
	"#1 a <null> (b+0x1",
	"#1 <null> (b+0x1)",
	"a/b",
	"a/b[0x1",
	"/a(f(int)+0x1) [0x401218",
	"a(0x401218) [0x401218",
	"frame #1: f + 0x1 (0x1 in /a",
	"/a:1",
	"/a [",
	"/a(+0x1) [0x1] -> ",
	"/a(f+0x1) [0x1] -> ",
	"Backtrace: 0x400d1234:0x3ffb1230 ",
	"1. f @ 0x1 in /a(",
	"a() [0x40121",
};

static void matches_of_long_lines_are_within_them(void **state)
{
	struct forms *forms = forms_new();
	struct form_match match;

	(void)state;
	for (size_t i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++) {
		char line[1 << 13];
		for (size_t at = 0; at < sizeof(line); at++)
			line[at] = repeated[i][at % strlen(repeated[i])];
		for (size_t size = sizeof(line) - 7; size <= sizeof(line); size++)
			if (forms_match(forms, line, size, &match) && (match.start >= match.end || match.end > size))
				fail_msg("'%s': %s from %zu to %zu of %zu", repeated[i], match.form->name, match.start,
					 match.end, size);
	}
	forms_free(forms);
}

static int count_item(pcre2_callout_block *block, void *count)
{
	(void)block;
	++*(uint64_t *)count;
	return 0;
}

/*
 * Holds that at a long line which is made of `part`, again and again, so many items of a pattern are tried as the line
 * has bytes, times some number. It would be hundreds if each part were a place to begin at and to go on from to the
 * end.
 */
static void expect_straight(const char *name, const pcre2_code *code, pcre2_match_data *data, const char *part)
{
	enum { SIZE = 6000, TRIED_PER_BYTE = 60 };
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	uint64_t count = 0;
	char line[SIZE];

	for (size_t i = 0; i < SIZE; i++)
		line[i] = part[i % strlen(part)];
	pcre2_set_callout(context, count_item, &count);
	pcre2_match(code, (PCRE2_SPTR)line, SIZE, 0, 0, data, context);
	pcre2_match_context_free(context);
	if (count > SIZE * TRIED_PER_BYTE)
		fail_msg("%s: %llu items are tried at '%s'", name, (unsigned long long)count, part);
}

/*
 * A pattern is never searched for from each of the many starts that a line may have. Lines are made of what is listed
 * above, and of what the form's examples begin with, up to each byte: these have all that a match needs, but for its
 * end.
 */
static void no_line_is_searched_from_all_its_starts(void **state)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	size_t count;
	const struct form *table = forms_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		PCRE2_SIZE offset;
		int error;
		pcre2_code *code = pcre2_compile((PCRE2_SPTR)table[i].pattern, PCRE2_ZERO_TERMINATED,
						 PCRE2_AUTO_CALLOUT, &error, &offset, NULL);
		assert_non_null(code);
		for (size_t k = 0; k < sizeof(repeated) / sizeof(repeated[0]); k++)
			expect_straight(table[i].name, code, data, repeated[k]);
		for (size_t k = 0; k < EXAMPLE_COUNT; k++) {
			const char *line = examples[k].line + strspn(examples[k].line, " \t");
			for (size_t size = 1; size <= strlen(line) && strcmp(examples[k].form, table[i].name) == 0;
			     size++) {
				char part[256];
				snprintf(part, sizeof(part), "%.*s", (int)size, line);
				expect_straight(table[i].name, code, data, part);
				strcat(part, " ");
				expect_straight(table[i].name, code, data, part);
			}
		}
		pcre2_code_free(code);
	}
	pcre2_match_data_free(data);
}

static void process_of_a_stack(void **state)
{
	static const char *const headers[] = {
		"shop  8240  3476.279067:    2004008 cpu-clock:pppH: ",
		"a b c  8240/8241 [001]  3476.279067:    2004008 cpu-clock:pppH: ",
	};
	static const char frame[] = "\t            131e [unknown] (/srv/a)";
	struct forms *forms = forms_new();
	struct form_match match;
	struct locus_string process;

	(void)state;
	assert_true(forms_match(forms, frame, strlen(frame), &match));
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		assert_true(forms_header(forms, match.form, headers[i], strlen(headers[i]), &process));
		assert_int_equal(process.size, 4);
		assert_memory_equal(process.data, "8240", 4);
	}
	assert_false(forms_header(forms, match.form, "", 0, &process));
	assert_int_equal(process.size, 0);
	forms_free(forms);
}

/* Of two forms in a line the one that stands first is found first, whatever the line before was. */
static void joined_forms_are_found_as_they_stand(void **state)
{
	static const char *const parts[][2] = {
		{"module and address", " a.b+0x1"},
		{"kernel fault of a program", " in x[1,2+3]"},
		{"go", " pc=0x12"},
		{"go frame", " fp=0x1 sp=0x2 pc=0x3"},
		{"build-id and file offset", " at " ID " 0x10"},
		{"build-id and address", " " ID ":0x5"},
		{"eu-stack build-id", " [" ID "]@0x1+0x5"},
	};
	enum { COUNT = sizeof(parts) / sizeof(parts[0]) };
	struct forms *forms = forms_new();
	struct form_match match;
	char line[256];

	(void)state;
	for (size_t i = 0; i < COUNT * COUNT * COUNT; i++) {
		size_t first = i % COUNT, second = i / COUNT % COUNT, before = i / COUNT / COUNT;
		assert_true(forms_match(forms, parts[before][1], strlen(parts[before][1]), &match));
		assert_string_equal(match.form->name, parts[before][0]);
		snprintf(line, sizeof(line), "%s%s", parts[first][1], parts[second][1]);
		assert_true(forms_match(forms, line, strlen(line), &match));
		assert_string_equal(match.form->name, parts[first][0]);
		assert_true(forms_match_joined(forms, line, strlen(line), match.end, &match));
		assert_string_equal(match.form->name, parts[second][0]);
		assert_false(forms_match_joined(forms, line, strlen(line), match.end, &match));
	}
	forms_free(forms);
}

/* As if there were nothing but blanks before the rest. */
static void joined_forms_are_found_in_every_rest(void **state)
{
	static const char *const parts[] = {
		"a.b+0x1",
		" in x[1,2+3]",
		"pc=0x12",
		"fp=0x1 sp=0x2 pc=0x3",
		"0123456789abcdef0123456789abcdef01234567 0x10",
		"0123456789abcdef0123456789abcdef01234567:0x5",
		"[0123456789abcdef0123456789abcdef01234567]@0x1+0x5",
		" ",
		"/",
		"]",
		"(",
		"x",
		":",
		"+",
	};
	struct forms *forms = forms_new(), *fresh = forms_new();
	uint64_t random = 1;
	unsigned found = 0;
	char line[1024], rest[sizeof(line)];

	(void)state;
	for (int i = 0; i < 30000; i++) {
		struct form_match match, other;
		size_t at;
		line[0] = '\0';
		for (uint32_t k = 2 + random_below(&random, 12); k > 0; k--)
			strcat(line, parts[random_below(&random, sizeof(parts) / sizeof(parts[0]))]);
		if (!forms_match(forms, line, strlen(line), &match) || !match.form->is_joined)
			continue;
		bool is_found;
		do {
			at = match.end;
			is_found = forms_match_joined(forms, line, strlen(line), at, &match);
			memset(rest, ' ', at - 1);
			strcpy(rest + at - 1, line + at - 1);
			forms_match_joined(fresh, rest, strlen(rest), 0, &other);
			assert_int_equal(forms_match_joined(fresh, rest, strlen(rest), at, &other), is_found);
			if (is_found &&
			    (match.form != other.form || match.start != other.start || match.end != other.end))
				fail_msg("%s: %s and %s", line, match.form->name, other.form->name);
			found += is_found;
		} while (is_found);
	}
	assert_true(found > 10000);
	forms_free(forms);
	forms_free(fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_group_is_repeated_lazily_and_maybe_not_at_all),
		cmocka_unit_test(examples_are_recognised),
		cmocka_unit_test(a_return_may_be_at_the_end),
		cmocka_unit_test(blanks_may_be_at_the_end),
		cmocka_unit_test(every_form_has_an_example),
		cmocka_unit_test(examples_are_looked_at),
		cmocka_unit_test(other_lines_are_not),
		cmocka_unit_test(matches_of_long_lines_are_within_them),
		cmocka_unit_test(no_line_is_searched_from_all_its_starts),
		cmocka_unit_test(process_of_a_stack),
		cmocka_unit_test(programs_with_titles),
		cmocka_unit_test(paths_may_have_blanks),
		cmocka_unit_test(joined_forms_are_found_as_they_stand),
		cmocka_unit_test(joined_forms_are_found_in_every_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
