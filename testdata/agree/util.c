/* The second unit of the C program: lists, identical functions, a cold path. */
#include <stdio.h>
#include <stdlib.h>

#include "util.h"

static struct node *node_new(int key, int value)
{
	struct node *node = malloc(sizeof(*node));
	if (!node)
		fail("no memory");
	node->next = NULL;
	node->key = key;
	node->value = mix(key, value);
	return node;
}

struct node *node_add(struct node *list, int key, int value)
{
	struct node *node = node_find(list, key);
	if (node) {
		node->value += clamp(value, 0, 100);
		return list;
	}
	node = node_new(key, value);
	node->next = list;
	return node;
}

struct node *node_find(struct node *list, int key)
{
	for (; list; list = list->next)
		if (list->key == key)
			return list;
	return NULL;
}

void node_free(struct node *list)
{
	if (!list)
		return;
	node_free(list->next);
	free(list);
}

int node_sum(const struct node *list, int (*weigh)(const struct node *))
{
	int sum = 0;
	for (; list; list = list->next)
		sum += weigh(list);
	return sum;
}

int unused_code(int n)
{
	return mix(n, SQUARE(n)) + clamp(n, 1, 2);
}

int fold_a(int n)
{
	return n * 7 + 3;
}

int fold_b(int n)
{
	return n * 7 + 3;
}

__attribute__((cold)) void fail(const char *text)
{
	fprintf(stderr, "failed: %s\n", text);
	exit(1);
}
