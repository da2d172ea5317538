/* Shared by main.c and util.c: inline functions in a header, so that line tables name several files. */
#ifndef UTIL_H
#define UTIL_H

struct node {
	struct node *next;
	int key, value;
};

static inline int clamp(int value, int low, int high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static inline int mix(int a, int b)
{
	int sum = clamp(a, -1000, 1000) * 31;
	for (int i = 0; i < (b & 7); i++)
		sum ^= clamp(sum + i, 0, 1 << 20) << 1;
	return sum;
}

#define SQUARE(x) ((x) * (x))

struct node *node_add(struct node *list, int key, int value);
struct node *node_find(struct node *list, int key);
void node_free(struct node *list);
int node_sum(const struct node *list, int (*weigh)(const struct node *));
int unused_code(int n);
int fold_a(int n);
int fold_b(int n);
_Noreturn void fail(const char *text);

#endif
