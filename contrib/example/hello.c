/* A program to make symbols of. */
#include <stdio.h>

static inline int square(int x)
{
	return x * x;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", square(argc));
}
