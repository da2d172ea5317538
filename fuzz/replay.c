/* Runs a fuzz target over files, without a fuzzer: what once was found is not found again. usage: TARGET FILE... */
#include "fuzz/fuzz.h"

/* The file in a block of exactly its size, so that a sanitizer sees a read beyond. */
static uint8_t *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0)
		return NULL;
	long size = ftell(file);
	uint8_t *data = size >= 0 && fseek(file, 0, SEEK_SET) == 0 ? malloc(size ? (size_t)size : 1) : NULL;
	if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
		free(data);
		data = NULL;
	}
	fclose(file);
	*ret_size = (size_t)size;
	return data;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t size;
		uint8_t *data = read_file(argv[i], &size);
		if (!data) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 1;
		}
		printf("%s\n", argv[i]);
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 0;
}
