/* Numbers are addresses at once; for names, bases and offsets, the file has to say first what they are. */
#include "cmd/lookup/question_batch.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/memory.h"
#include "cmd/common/return_address.h"

size_t question_batch_max(const struct question_batch *batch, const struct asked_file *asked)
{
	return asked->file.is_elf || batch->has_names ? QUESTIONS_MAX : QUESTIONS_FEW;
}

/* Parses the questions. True: some need the file to find out which address they mean. */
static bool parse(struct question_batch *batch, const struct asked_file *asked)
{
	bool needs_file = asked->options->places.has_base || asked->options->places.from_offset;

	for (size_t i = 0; i < batch->count; i++) {
		const struct question *question = &batch->questions[i];
		struct place *place = &batch->places[i];
		place->is_outside = place->is_unknown = false;
		place->text = batch->texts[i];
		if (!query_parse(question->text, question->size, asked->options->hex, &place->query, &place->reason))
			continue;
		place->reason = NULL;
		place->address = place->query.value;
		batch->has_names |= place->query.kind == QUERY_NAME;
		needs_file |= place->query.kind == QUERY_NAME;
		if (place->query.kind != QUERY_LOCID)
			continue;
		if (asked->file.is_elf)
			place->reason = "only a .locus file has locids";
		else if (place->query.value >= locus_interval_count(asked->file.locus))
			place->reason = "no such locid in this file";
	}
	return needs_file;
}

/* Makes an ELF file answer for the starts of the wanted functions. */
static enum locus_status ask_for_functions(struct question_batch *batch, struct asked_file *asked,
					   struct locus_error *error)
{
	static char *names[QUESTIONS_MAX];
	const struct locus_info *info;
	size_t count = 0;
	enum locus_status status = locus_info(asked->file.locus, &info, error);

	if (status == LOCUS_OK)
		places_find_sections(info, batch->places, batch->count);
	for (size_t i = 0; i < batch->count && status == LOCUS_OK; i++) {
		const struct query *query = &batch->places[i].query;
		if (place_is_function(&batch->places[i]))
			names[count++] = memory_checked(strndup(query->name, query->name_size));
	}
	if (status == LOCUS_OK && count)
		status = asked_file_prepare_functions(asked, (const char *const *)names, count, error);
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	return status;
}

/* Whether some functions were not found by their symbols; these are then looked up again. */
static bool has_unknown(struct question_batch *batch)
{
	bool any = false;

	for (size_t i = 0; i < batch->count; i++) {
		if (!batch->places[i].is_unknown)
			continue;
		batch->places[i].is_unknown = false;
		batch->places[i].reason = NULL;
		any = true;
	}
	return any;
}

static enum locus_status find_places(struct question_batch *batch, struct asked_file *asked, struct locus_error *error)
{
	return places_find(asked->file.locus, asked->scratch, &asked->options->places, batch->places, batch->count,
			   error);
}

/*
 * Finds the addresses that the questions mean. An ELF file is first asked for its own description; then functions are
 * found by their symbols; only for a function without a symbol is all of it converted.
 */
static enum locus_status ask_for_places(struct question_batch *batch, struct asked_file *asked,
					struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;

	if (!asked->file.locus)
		status = asked_file_prepare(asked, &(uint64_t){0}, 0, error);
	if (status == LOCUS_OK)
		status = ask_for_functions(batch, asked, error);
	if (status == LOCUS_OK)
		status = find_places(batch, asked, error);
	if (status != LOCUS_OK || asked->file.whole || !has_unknown(batch))
		return status;
	status = asked_file_prepare(asked, NULL, 0, error);
	return status == LOCUS_OK ? find_places(batch, asked, error) : status;
}

/*
 * Makes the file answer for the addresses. The second batch makes an ELF file be converted whole, because more may
 * follow.
 */
static enum locus_status ask_for_addresses(struct question_batch *batch, struct asked_file *asked,
					   struct locus_error *error)
{
	static uint64_t addresses[2 * QUESTIONS_MAX];
	size_t address_count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		uint64_t address = batch->places[i].address;
		if (batch->places[i].reason)
			continue;
		addresses[address_count++] = address - asked_file_bytes_before(asked, address);
		/*
		 * The machine of an ELF file is known only when it was read. It decides which address a return address
		 * stands for, so both possible ones are asked for.
		 */
		if (asked->options->return_address && asked->machine == MACHINE_UNKNOWN)
			addresses[address_count++] = return_address_call(address, MACHINE_ARM);
	}
	const uint64_t *wanted = batch->is_later ? NULL : addresses;
	batch->is_later = true;
	return asked_file_prepare(asked, wanted, address_count, error);
}

enum locus_status question_batch_prepare(struct question_batch *batch, struct asked_file *asked,
					 struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;

	if (parse(batch, asked))
		status = ask_for_places(batch, asked, error);
	return status == LOCUS_OK ? ask_for_addresses(batch, asked, error) : status;
}
