/* The C program of the agreement matrix: inlining three deep, static functions that get cloned, a switch, recursion. */
#include <stdio.h>
#include <stdlib.h>

#include "util.h"

static int weigh_plain(const struct node *node)
{
	return node->value;
}

static int weigh_mixed(const struct node *node)
{
	return mix(node->key, node->value) + SQUARE(node->key);
}

static int __attribute__((noinline)) scale(int value, int by, int verbose)
{
	if (verbose)
		printf("scale %d by %d\n", value, by);
	if (by == 0)
		fail("scale by 0");
	return mix(value, by) / by;
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static const char *kind(int value)
{
	switch (clamp(value, 0, 6)) {
	case 0:
		return "none";
	case 1:
		return "one";
	case 2:
	case 3:
		return "few";
	case 4:
		return "some";
	case 5:
		return "more";
	default:
		return "many";
	}
}

static struct node *fill(int count)
{
	struct node *list = NULL;
	for (int i = 0; i < count; i++) {
		list = node_add(list, i % 17, mix(i, count));
		if (mix(i, i) == 12345678)
			fail("a number that never comes");
	}
	return list;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 40;
	struct node *list = fill(count);
	int sum = node_sum(list, weigh_plain) + node_sum(list, weigh_mixed);
	for (int i = 1; i < 5; i++)
		sum += scale(sum, i, 0);
	printf("%d %d %s %d\n", sum, fibonacci(clamp(count, 0, 20)), kind(count), fold_a(count) - fold_b(count));
	node_free(list);
	return 0;
}
