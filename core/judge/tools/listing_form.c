#include "core/judge/tools/listing_form.h"

#include <string.h>

static const char *const names[] = {
    [LISTING_NONE] = "", [LISTING_PTX] = "ptx", [LISTING_SASS] = "sass"};

const char *listing_form_name(enum listing_form form)
{
    return names[form];
}

enum listing_form listing_form_of(const char *name)
{
    for (int form = LISTING_SASS; form > LISTING_NONE; form--)
        if (strcmp(names[form], name) == 0)
            return (enum listing_form)form;
    return LISTING_NONE;
}
