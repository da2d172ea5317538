/* Names are compared byte by byte; only a kernel's modules have two spellings, with dashes and with underscores. */
#include "cmd/modules/module_name.h"

#include <stdio.h>
#include <string.h>

#include "base/hex_text.h"
#include "cmd/common/hex_digit.h"
#include "cmd/common/string_compare.h"

size_t build_id_parse(struct locus_string text, uint8_t ret[MODULE_BUILD_ID_MAX])
{
	if (text.size % 2 || text.size > 2 * MODULE_BUILD_ID_MAX)
		return 0;
	for (size_t i = 0; i < text.size; i += 2) {
		int high = hex_digit(text.data[i]), low = hex_digit(text.data[i + 1]);
		if (high < 0 || low < 0)
			return 0;
		ret[i / 2] = (uint8_t)(high << 4 | low);
	}
	return text.size / 2;
}

void build_id_text(struct locus_string build_id, char ret[BUILD_ID_TEXT_MAX])
{
	size_t size = build_id.size < MODULE_BUILD_ID_MAX ? build_id.size : MODULE_BUILD_ID_MAX;

	hex_text(build_id.data, size, ret);
}

void module_text(const struct module_name *module, char ret[MODULE_TEXT_MAX])
{
	char id[BUILD_ID_TEXT_MAX];

	build_id_text(module->build_id, id);
	if (module->path.size && module->build_id.size)
		snprintf(ret, MODULE_TEXT_MAX, "%.*s (%s)", (int)module->path.size, module->path.data, id);
	else if (module->path.size)
		snprintf(ret, MODULE_TEXT_MAX, "%.*s", (int)module->path.size, module->path.data);
	else
		snprintf(ret, MODULE_TEXT_MAX, "%s", id);
}

struct locus_string path_base_name(struct locus_string path)
{
	const char *slash = path.size ? memrchr(path.data, '/', path.size) : NULL;

	return slash ? (struct locus_string){slash + 1, path.size - (size_t)(slash + 1 - path.data)} : path;
}

bool string_remove_suffix(struct locus_string *name, const char *suffix)
{
	size_t size = strlen(suffix);

	if (name->size <= size || memcmp(name->data + name->size - size, suffix, size) != 0)
		return false;
	name->size -= size;
	return true;
}

/* The kernel calls the module of snd-pcm.ko snd_pcm: compares names so. */
static bool same_kernel_module(struct locus_string a, struct locus_string b)
{
	if (a.size != b.size)
		return false;
	for (size_t i = 0; i < a.size; i++) {
		char left = a.data[i] == '-' ? '_' : a.data[i], right = b.data[i] == '-' ? '_' : b.data[i];
		if (left != right)
			return false;
	}
	return true;
}

bool file_is_kernel_module(struct locus_string file, struct locus_string name)
{
	static const char *const packed[] = {".xz", ".zst", ".gz"};

	string_remove_suffix(&file, ".locus");
	string_remove_suffix(&file, ".debug");
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		string_remove_suffix(&file, packed[i]);
	return string_remove_suffix(&file, ".ko") && same_kernel_module(file, name);
}

bool file_is_named_after(const char *path, const struct module_name *module)
{
	static const char kernel[] = "vmlinux";
	struct locus_string file = path_base_name((struct locus_string){path, strlen(path)});
	struct locus_string name = path_base_name(module->path);

	if (name.size == 0)
		return false;
	if (file_is_kernel_module(file, name))
		return true;
	string_remove_suffix(&file, ".locus");
	if (strings_are_equal(file, name))
		return true;
	string_remove_suffix(&file, ".debug");
	if (name.size == strlen(kernel) && file.size > name.size && file.data[name.size] == '-')
		file.size = name.size;
	return strings_are_equal(file, name);
}
