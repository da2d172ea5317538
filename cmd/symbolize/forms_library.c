/* Loads the library of forms: it needs PCRE2, which lookups do without. */
#include "cmd/symbolize/forms_library.h"

#include "cmd/common/own_library.h"

const struct forms_library *forms_library_load(void)
{
	static struct forms_library loaded;
	static const struct own_symbol symbols[] = {
		{"forms_free", &loaded.free},
		{"forms_match", &loaded.match},
		{"forms_match_joined", &loaded.match_joined},
		{"forms_header", &loaded.header},
		{"forms_table", &loaded.table},
		{"form_field_name", &loaded.field_name},
		{"forms_new", &loaded.new},
	};
	static const struct own_library library = {
		"liblocus-forms.so",
		"the library of text forms",
		"locus_forms_version",
		symbols,
		sizeof(symbols) / sizeof(symbols[0]),
	};

	return loaded.new || own_library_load(&library) ? &loaded : NULL;
}
