#include "core/judge/device/backend.h"

#include "core/base/vec.h"
#include "core/model/language.h"

enum { LARGEST_GUARD = 0x7F, GUARDS = 8 };

unsigned char buffer_guard_byte(size_t number)
{
    return (unsigned char)(LARGEST_GUARD - number % GUARDS);
}

enum status buffer_refused(const struct device_info *info, size_t bytes, const char *reason,
                           struct error *err)
{
    return error_set(err, STATUS_UNAVAILABLE,
                     "%s has no room for %zu bytes: %s; end other programs that use its memory, "
                     "or choose another device or smaller sizes",
                     info->id, bytes, reason);
}

void device_list_release(struct device_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        device_info_release(&list->items[i]);
    vec_release(list);
    strbuf_release(&list->absent);
    strbuf_release(&list->hidden);
}

static void add(struct strbuf *reasons, const char *reason, const struct strbuf *variables)
{
    strbuf_addf(reasons, "%s%s%s%s%s", reasons->len ? "; " : "", reason, variables->len ? " (" : "",
                strbuf_cstr(variables), variables->len ? ")" : "");
}

void device_list_miss(struct device_list *list, const char *language, const char *reason)
{
    struct strbuf variables = {0};

    language_list_selectors(language, &variables);
    add(&list->absent, reason, &variables);
    if (variables.len)
        add(&list->hidden, reason, &variables);
    strbuf_release(&variables);
}

const char *code_kind_name(enum code_kind kind)
{
    return kind == CODE_PTX ? "ptx" : "machine";
}
