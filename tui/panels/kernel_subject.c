#include "tui/panels/kernel_subject.h"

#include <string.h>

#include "core/judge/tools/listing_form.h"

const struct subject *kernel_base(const struct view_model *view_model, enum base base)
{
    const struct subject *const subjects[] = {
        [BASE_BEST] = &view_model->best,
        [BASE_PARENT] = &view_model->parent,
        [BASE_CHOSEN] = &view_model->chosen,
    };

    return subjects[base];
}

bool kernel_base_is_comparable(const struct view_model *view_model, enum base base)
{
    const struct subject *subject = kernel_base(view_model, base);

    return subject->attempt && subject->attempt != view_model->shown.attempt;
}

const char *kernel_part_of(const struct subject *subject, enum part part)
{
    return part == PART_KERNEL ? subject_source(subject) : strbuf_cstr(&subject->plan);
}

const char *kernel_listing_form(enum part part)
{
    return listing_form_name(part == PART_PTX ? LISTING_PTX : LISTING_SASS);
}

const struct candidate_query *kernel_listing(const struct view_model *view_model, enum part part)
{
    const struct candidate_query *query = &view_model->query;
    bool is_it = candidate_query_is_of(query, CANDIDATE_QUERY_LISTING, kernel_listing_form(part),
                                       view_model->shown.candidate_id);

    return is_it ? query : NULL;
}

const char *kernel_text(const struct view_model *view_model, enum part part)
{
    if (part >= PART_LISTINGS)
        return kernel_listing(view_model, part) ? strbuf_cstr(&view_model->query.listing) : "";
    return part == PART_REFERENCE ? strbuf_cstr(&view_model->reference)
                                  : kernel_part_of(&view_model->shown, part);
}

bool kernel_is_same(const struct subject *a, const struct subject *b, enum part part)
{
    return strcmp(kernel_part_of(a, part), kernel_part_of(b, part)) == 0;
}
