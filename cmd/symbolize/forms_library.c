/* Loads the library of forms: it needs PCRE2, which lookups do without. */
#include "cmd/symbolize/forms_library.h"

#include <string.h>

#include "cmd/common/own_library.h"
#include "cmd/common/report.h"

#define LIBRARY "liblocus-forms.so"

const struct forms_library *forms_library_load(void)
{
	static struct forms_library loaded;
	const char *version;
	void *library;

	if (loaded.new)
		return &loaded;
	library = own_library_open(LIBRARY, "the library of text forms");
	if (!library)
		return NULL;
	if (!own_library_find(library, "locus_forms_version", &version) || strcmp(version, LOCUS_VERSION) != 0 ||
	    !own_library_find(library, "forms_free", &loaded.free) ||
	    !own_library_find(library, "forms_match", &loaded.match) ||
	    !own_library_find(library, "forms_match_joined", &loaded.match_joined) ||
	    !own_library_find(library, "forms_process", &loaded.process) ||
	    !own_library_find(library, "forms_table", &loaded.table) ||
	    !own_library_find(library, "form_field_name", &loaded.field_name) ||
	    !own_library_find(library, "forms_new", &loaded.new)) {
		loaded = (struct forms_library){0};
		report(NULL, "%s is not that of locus %s; install both together", LIBRARY, LOCUS_VERSION);
		return NULL;
	}
	return &loaded;
}
