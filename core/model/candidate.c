#include "core/model/candidate.h"

#include <ctype.h>

#include "core/base/record.h"

static const struct field candidate_fields[] = {
    {FIELD(TEXT, struct candidate, language)}, {FIELD(TEXT, struct candidate, source)},
    {FIELD(TEXT, struct candidate, plan)},     {FIELD(TEXT, struct candidate, remark)},
    {FIELD(TEXT, struct candidate, tuned)},    {0},
};

static bool is_of_name(char c)
{
    unsigned char byte = (unsigned char)c;

    return isalnum(byte) || byte == '_' || byte >= 0x80;
}

enum status candidate_check_names(const char *text, struct error *err)
{
    size_t line = 1, length = 0;

    for (const char *at = text; *at; at++) {
        length = is_of_name(*at) ? length + 1 : 0;
        line += *at == '\n';
        if (length > CANDIDATE_NAME_MAX)
            return error_set(err, STATUS_INVALID,
                             "line %zu: a name or number is longer than %d bytes: shorten it", line,
                             CANDIDATE_NAME_MAX);
    }
    return STATUS_OK;
}

void candidate_release(struct candidate *candidate)
{
    record_release(candidate_fields, candidate);
    *candidate = (struct candidate){0};
}

struct json *candidate_encode(const struct candidate *candidate)
{
    return record_encode(candidate_fields, candidate);
}

enum status candidate_decode(struct candidate *candidate, const struct json_ref *at,
                             struct error *err)
{
    struct candidate read = {0};
    enum status st = record_decode(candidate_fields, &read, at, err);

    if (!st && (!read.language || !read.source || !read.plan))
        st = json_ref_error(at, err, "a candidate has \"language\", \"source\" and \"plan\"");
    if (st)
        candidate_release(&read);
    else
        *candidate = read;
    return st;
}
