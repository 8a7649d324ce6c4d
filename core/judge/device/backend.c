#include "core/judge/device/backend.h"

#include "core/base/vec.h"

void device_list_release(struct device_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        device_info_release(&list->items[i]);
    vec_release(list);
}

const char *code_kind_name(enum code_kind kind)
{
    return kind == CODE_PTX ? "ptx" : "machine";
}
