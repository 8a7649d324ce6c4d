#include "tests/contract/schedule_cover.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/fusion.h"
#include "core/base/vec.h"
#include "tests/unit/unit.h"

/* Add the family's setting; return false if it is there already. */
static bool enter(struct schedule_cover *cover, unsigned family, const struct schedule *schedule)
{
    struct strbuf text = {0};
    size_t i = 0;

    strbuf_addf(&text, "%u ", family);
    schedule_print(schedule, family, &text);
    while (i < cover->count && strcmp(cover->items[i], strbuf_cstr(&text)) != 0)
        i++;
    if (i < cover->count) {
        strbuf_release(&text);
        return false;
    }
    vec_push(cover, strbuf_take(&text));
    return true;
}

bool schedule_cover_add(struct schedule_cover *cover, const struct problem *problem,
                        const char *language, const struct schedule *schedule)
{
    unsigned families = 0;
    bool is_new = false;
    struct error err;

    if (fusion_find_families(problem, language, schedule, &families, &err))
        fail_msg("%s: %s", problem->name, err.text);
    for (unsigned bit = 1; bit <= families; bit <<= 1)
        if (families & bit)
            is_new |= enter(cover, bit, schedule);
    return is_new;
}

void schedule_cover_release(struct schedule_cover *cover)
{
    for (size_t i = 0; i < cover->count; i++)
        free(cover->items[i]);
    vec_release(cover);
}
