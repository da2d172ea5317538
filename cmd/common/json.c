/* Plain text is copied in long pieces; only other characters are looked at one by one. */
#include "cmd/common/json.h"

#include <string.h>

void json_init(struct json *json, struct out *out)
{
	json->out = out;
	json->comma = false;
}

static void begin_value(struct json *json)
{
	if (json->comma)
		out_char(json->out, ',');
	json->comma = true;
}

void json_open(struct json *json, char bracket)
{
	begin_value(json);
	out_char(json->out, bracket);
	json->comma = false;
}

void json_close(struct json *json, char bracket)
{
	out_char(json->out, bracket);
	json->comma = true;
}

void json_end_line(struct json *json)
{
	out_char(json->out, '\n');
	json->comma = false;
}

void json_key(struct json *json, const char *key)
{
	begin_value(json);
	out_char(json->out, '"');
	out_text(json->out, key);
	out_bytes(json->out, "\":", 2);
	json->comma = false;
}

/* The code point of a valid UTF-8 sequence of 1 to 3 bytes. */
static unsigned code_point(const char *data, size_t length)
{
	const unsigned char *s = (const unsigned char *)data;

	if (length == 1)
		return s[0];
	if (length == 2)
		return (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
	return (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
}

/* Writes the character at `data`, which is not plain, and returns its size. */
static size_t json_character(struct json *json, const char *data, size_t size)
{
	unsigned char c = (unsigned char)data[0];
	size_t length = utf8_length(data, size);

	if (!length)
		out_text(json->out, "\\ufffd");
	else if (c == '"' || c == '\\')
		out_format(json->out, "\\%c", c);
	else if (changes_display(data, length))
		out_format(json->out, "\\u%04x", code_point(data, length));
	else
		out_bytes(json->out, data, length);
	return length ? length : 1;
}

void json_piece(struct json *json, const char *data, size_t size)
{
	while (size) {
		size_t length = out_plain(json->out, data, size);
		if (!length)
			length = json_character(json, data, size);
		data += length;
		size -= length;
	}
}

void json_begin_string(struct json *json)
{
	begin_value(json);
	out_char(json->out, '"');
}

void json_end_string(struct json *json)
{
	out_char(json->out, '"');
}

void json_key_text(struct json *json, const char *key, const char *text)
{
	json_key_bytes(json, key, text, strlen(text));
}

void json_key_u64(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	begin_value(json);
	out_u64(json->out, value);
}

void json_key_hex(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_begin_string(json);
	out_hex(json->out, value);
	json_end_string(json);
}

void json_key_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	begin_value(json);
	out_text(json->out, value ? "true" : "false");
}

void json_key_bytes(struct json *json, const char *key, const char *data, size_t size)
{
	json_key(json, key);
	json_begin_string(json);
	json_piece(json, data, size);
	json_end_string(json);
}

void json_key_hex_bytes(struct json *json, const char *key, const void *data, size_t size)
{
	json_key(json, key);
	json_begin_string(json);
	out_hex_bytes(json->out, data, size);
	json_end_string(json);
}
