#include "tests/contract/schedule_cover.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/fusion.h"
#include "core/base/vec.h"
#include "tests/unit/unit.h"

/* The family's setting as text. */
static void describe(unsigned family, const struct schedule *schedule, struct strbuf *text)
{
    strbuf_addf(text, "%u ", family);
    schedule_print(schedule, family, text);
}

static bool has(const struct schedule_cover *cover, const char *setting)
{
    for (size_t i = 0; i < cover->count; i++)
        if (strcmp(cover->items[i], setting) == 0)
            return true;
    return false;
}

/* The number of settings that were not tried before; `entered` gets them, unless it is NULL. */
static unsigned find_new(const struct schedule_cover *cover, const struct schedule_use *use,
                         struct schedule_cover *entered)
{
    unsigned families = 0, count = 0;
    struct error err;

    if (fusion_find_families(use->problem, use->language, use->schedule, &families, &err))
        fail_msg("%s: %s", use->problem->name, err.text);
    for (unsigned bit = 1; bit <= families; bit <<= 1) {
        struct strbuf text = {0};

        if (families & bit)
            describe(bit, use->schedule, &text);
        if (families & bit && !has(cover, strbuf_cstr(&text))) {
            count++;
            if (entered)
                vec_push(entered, strbuf_take(&text));
        }
        strbuf_release(&text);
    }
    return count;
}

unsigned schedule_cover_new(const struct schedule_cover *cover, const struct schedule_use *use)
{
    return find_new(cover, use, NULL);
}

bool schedule_cover_add(struct schedule_cover *cover, const struct schedule_use *use)
{
    return find_new(cover, use, cover) > 0;
}

void schedule_cover_release(struct schedule_cover *cover)
{
    for (size_t i = 0; i < cover->count; i++)
        free(cover->items[i]);
    vec_release(cover);
}
