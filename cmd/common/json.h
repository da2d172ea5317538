/* JSON, one object to a line, written without a tree in memory, so that 100,000 lookups cost little. */
#ifndef LOCUS_JSON_H
#define LOCUS_JSON_H

#include "cmd/common/out.h"

/*
 * The state of the output. In an object, a value is preceded by json_key; commas are added as needed. Strings are
 * bytes; each byte that is not part of UTF-8 becomes U+FFFD.
 */
struct json {
	struct out *out;
	bool comma; /* a value stands before this place in the same object or array */
};

void json_init(struct json *json, struct out *out);
void json_open(struct json *json, char bracket);  /* '{' or '[' */
void json_close(struct json *json, char bracket); /* '}' or ']' */
void json_end_line(struct json *json);
void json_key(struct json *json, const char *key); /* plain ASCII */

/* A key and its value. */
void json_key_text(struct json *json, const char *key, const char *text);
void json_key_u64(struct json *json, const char *key, uint64_t value);
void json_key_hex(struct json *json, const char *key, uint64_t value); /* "0x1149": numbers are not exact to 64 bits */
void json_key_bool(struct json *json, const char *key, bool value);
void json_key_bytes(struct json *json, const char *key, const char *data, size_t size);
void json_key_hex_bytes(struct json *json, const char *key, const void *data, size_t size); /* as "0a1b" */

/* A string that several pieces make up. */
void json_begin_string(struct json *json);
void json_piece(struct json *json, const char *data, size_t size);
void json_end_string(struct json *json);

#endif
