/* Finds the module of each address of a profile, and adds its functions and lines. */
#include "cmd/symbolize/profile_symbolizer.h"

#include <string.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"
#include "cmd/symbolize/pprof_library.h"

struct rewriting {
	const struct pprof_library *library;
	struct symbol_sources *sources;
	const struct display *display;
	struct out *text;
	struct profile *profile;
};

/* ---- Where an address is ---- */

static bool has_file(struct locus_string path)
{
	return path.size && path.data[0] != '[' && !(path.size > 1 && path.data[0] == '/' && path.data[1] == '/');
}

/* Finds the module of the place: by its build-id alone where it has no path. False: it has none, or it is unknown. */
static bool name_module(const struct profile_place *place, uint8_t build_id[MODULE_BUILD_ID_MAX],
			struct module_name *ret)
{
	if (!has_file(place->path) && (place->path.size || !place->build_id.size))
		return false;
	*ret = (struct module_name){
		.path = place->path,
		.build_id = {(const char *)build_id, build_id_parse(place->build_id, build_id)},
	};
	return !place->build_id.size || ret->build_id.size;
}

/* Some profilers write addresses of the file, with one mapping for everything. */
static bool is_unslid(const struct profile_place *place)
{
	return place->start == 0 && place->offset == 0 && (place->limit == 0 || place->limit == UINT64_MAX);
}

/* Finds the address in the file, whose build-id was compared with the profile's. */
static struct symbol_file *find_place(struct rewriting *rewriting, const struct profile_place *place, uint64_t *ret)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name module;
	struct symbol_file *symbols;

	if (!is_unslid(place) && (place->address < place->start || place->address >= place->limit))
		return NULL;
	symbols = name_module(place, build_id, &module) ? symbol_sources_find(rewriting->sources, &module) : NULL;
	if (!symbols)
		return NULL;
	*ret = is_unslid(place)
		       ? place->address
		       : symbol_file_mapped_address(symbols, place->address, place->start, place->limit - place->start,
						    place->offset, place->offset == 0 ? place->start : UINT64_MAX);
	return symbols;
}

/* ---- What is there ---- */

/* The text written since the output had `start` bytes. Text that does not fit is left out. */
static struct locus_string text_from(struct out *text, size_t start)
{
	if (text->error)
		return (struct locus_string){NULL, 0};
	return (struct locus_string){text->buffer + start, text->used - start};
}

static bool add_frame(struct rewriting *rewriting, struct symbol_file *symbols, const struct locus_frame *frame,
		      uint32_t start_line)
{
	struct locus_string linkage = frame->linkage.size ? frame->linkage : frame->function;
	struct name name = function_labels_get(symbols->names, frame->function_id, frame->function, frame->linkage,
					       frame->language);
	struct profile_frame ret = {.line = frame->line, .column = frame->column, .start_line = start_line};
	struct out *text = rewriting->text;
	size_t start;

	out_init(text, -1);
	if (name.size)
		display_function(rewriting->display, text, name, frame->language);
	ret.name = text_from(text, 0);
	start = text->used;
	out_escaped(text, linkage.data, linkage.size);
	ret.system_name = text_from(text, start);
	start = text->used;
	if (frame->file.size)
		path_labels_put(&symbols->paths, frame);
	ret.path = text_from(text, start);
	return rewriting->library->add_frame(rewriting->profile, &ret);
}

/* Adds the frames of a place. False: the profile has become too large. */
static bool add_frames(struct rewriting *rewriting, struct symbol_file *symbols, const struct locus_result *result,
		       const uint32_t *start_lines)
{
	if (!rewriting->library->begin_frames(rewriting->profile, result->frame_count))
		return false;
	for (size_t i = 0; i < result->frame_count; i++) {
		if (!add_frame(rewriting, symbols, &result->frames[i], start_lines[i]))
			return false;
	}
	return true;
}

/* If the profile names the function already, only a line is better. */
static bool is_better(const struct profile_place *place, const struct locus_result *result)
{
	return result->frame_count && (!place->has_function || result->frames[0].line);
}

static bool rewrite_place(struct rewriting *rewriting, const struct profile_place *place)
{
	uint32_t start_lines[FRAMES_MAX];
	struct locus_result result;
	struct locus_error error;
	enum locus_status status;
	uint64_t address;
	struct symbol_file *symbols = find_place(rewriting, place, &address);

	if (!symbols)
		return true;
	error_clear(&error);
	status = symbol_file_lookup_declared(symbols, address, &result, start_lines, &error);
	if (status != LOCUS_OK)
		symbol_sources_report_failure(rewriting->sources, status, &error);
	return status != LOCUS_OK || !is_better(place, &result) || add_frames(rewriting, symbols, &result, start_lines);
}

static bool rewrite(struct rewriting *rewriting, char error[PROFILE_ERROR_SIZE])
{
	struct profile_place place;

	while (rewriting->library->next(rewriting->profile, &place)) {
		if (!rewrite_place(rewriting, &place)) {
			strcpy(error,
			       "with what its addresses mean it takes more memory than a profile of its size can need");
			return false;
		}
	}
	return true;
}

int symbolize_profile(struct symbol_sources *sources, const struct display *display, struct out *text,
		      const struct profile_files *files)
{
	struct rewriting rewriting = {
		.library = pprof_library_load(), .sources = sources, .display = display, .text = text};
	char error[PROFILE_ERROR_SIZE];

	if (!rewriting.library)
		return EXIT_FAILED;
	bool is_made = rewriting.library->read(files->input, &rewriting.profile, error) && rewrite(&rewriting, error);
	bool is_written = is_made && rewriting.library->write(rewriting.profile, files->output, error);
	if (!is_written)
		report(is_made ? files->output_name : files->input_name, "%s", error);
	rewriting.library->free(rewriting.profile);
	return is_written ? EXIT_OK : EXIT_FAILED;
}
