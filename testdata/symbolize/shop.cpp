// A program that crashes or prints where it is, in as many ways as there are examples here.
//   shop overflow     reads behind an array, which sanitizers and valgrind notice
//   shop backtrace    prints its stack as glibc does, from a function that is inlined
//   shop signal       the same, from a signal's handler
//   shop work         computes for a while, to be profiled
//   shop maps         prints where its modules are mapped, then dies
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace shop {
struct order {
	int price, count;
};

static inline __attribute__((always_inline)) int total(const order *orders, int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += orders[i].price * orders[i].count;
	return sum;
}

template <typename T> __attribute__((noinline)) int invoice(const T *orders, int count)
{
	return total(orders, count) + 1;
}
} // namespace shop

static inline __attribute__((always_inline)) void show_stack()
{
	void *frames[32];
	int count = backtrace(frames, 32);
	backtrace_symbols_fd(frames, count, STDOUT_FILENO);
}

static void on_signal(int)
{
	show_stack();
	_exit(1);
}

static __attribute__((noinline)) int show_maps()
{
	char text[4096];
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t size;
	while ((size = read(fd, text, sizeof(text))) > 0)
		if (write(STDOUT_FILENO, text, size) != size)
			return 1;
	abort();
}

static __attribute__((noinline)) int checkout(const char *how)
{
	shop::order *orders = new shop::order[3]();
	if (strcmp(how, "overflow") == 0)
		return shop::invoice(orders, 4) + 1;
	if (strcmp(how, "signal") == 0)
		return shop::invoice(orders, 1 << 28) + 1;
	int sum = 0;
	if (strcmp(how, "work") == 0)
		for (int i = 0; i < 200000000; i++)
			sum += shop::invoice(orders, 3);
	return sum;
}

extern "C" __attribute__((noinline)) int serve(const char *how)
{
	if (strcmp(how, "backtrace") == 0)
		show_stack();
	if (strcmp(how, "maps") == 0)
		return show_maps() + 1;
	return checkout(how) + 1;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "signal") == 0)
		signal(SIGSEGV, on_signal);
	return serve(argv[1]) & 1;
}
