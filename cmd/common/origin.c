/* The keys of a file's origin. */
#include "cmd/common/origin.h"

void json_origin(struct json *json, struct locus *locus, const struct locus_info *info)
{
	struct locus_identity identity = locus_identity(locus);

	json_key_u64(json, "format", locus_format_version(locus));
	json_key_u64(json, "size", locus_file_size(locus));
	json_key_hex_bytes(json, "identity", identity.bytes, sizeof(identity.bytes));
	if (info->build_id.size)
		json_key_hex_bytes(json, "build_id", info->build_id.data, info->build_id.size);
	json_key_u64(json, "elf_machine", info->elf_machine);
	json_key_u64(json, "elf_type", info->elf_type);
	json_key_u64(json, "elf_class", info->elf_class);
	json_key_u64(json, "elf_data", info->elf_data);
	json_key_bytes(json, "tool", info->tool.data, info->tool.size);
	json_key_u64(json, "rules_epoch", info->rules_epoch);
	json_key_bytes(json, "options", info->options.data, info->options.size);
}
