/* The library of forms, which is loaded when a text is to be read. */
#ifndef LOCUS_FORMS_LIBRARY_H
#define LOCUS_FORMS_LIBRARY_H

#include "cmd/symbolize/text_forms.h"

/* The library's functions, as in text_forms.h. */
struct forms_library {
	__typeof__(forms_new) *new;
	__typeof__(forms_free) *free;
	__typeof__(forms_match) *match;
	__typeof__(forms_match_joined) *match_joined;
	__typeof__(forms_header) *header;
	__typeof__(forms_table) *table;
	__typeof__(form_field_name) *field_name;
};

/* Loads it. NULL: it could not be loaded; the reason was reported. */
const struct forms_library *forms_library_load(void);

#endif
