#include "core/model/candidate.h"

#include "core/base/record.h"

static const struct field candidate_fields[] = {
    {FIELD(TEXT, struct candidate, language)}, {FIELD(TEXT, struct candidate, source)},
    {FIELD(TEXT, struct candidate, plan)},     {FIELD(TEXT, struct candidate, remark)},
    {FIELD(TEXT, struct candidate, tuned)},    {0},
};

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
