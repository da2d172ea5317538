/* By its name, or by the only instructions that it can be, as debuggers know it. */
#include "cmd/symbolize/signal_return.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/string_equality.h"
#include "cmd/modules/symbol_file.h"

bool signal_return_is_name(struct locus_string name)
{
	static const char *const names[] = {
		"__restore_rt",           "__restore",           "__kernel_rt_sigreturn", "__kernel_sigreturn",
		"__kernel_sigtramp_rt64", "__vdso_rt_sigreturn", "__default_sa_restorer", "__default_rt_sa_restorer",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (string_is(name, names[i]))
			return true;
	return false;
}

bool signal_return_is_at(struct locus_string path, uint64_t position)
{
	static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}; /* mov $15, %rax; syscall */
	unsigned char found[sizeof(code)];
	char file[PATH_MAX];

	if (path.size >= sizeof(file) || position > INT64_MAX)
		return false;
	snprintf(file, sizeof(file), "%.*s", (int)path.size, path.size ? path.data : "");
	int fd = is_regular_file(file) ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return false;
	ssize_t size = pread(fd, found, sizeof(found), (off_t)position);
	close(fd);
	return size == sizeof(code) && memcmp(found, code, sizeof(code)) == 0;
}
