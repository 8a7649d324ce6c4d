#include "core/model/baseline_label.h"

#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

static const struct label {
    const char *name, *text, *phrase, *brief;
} labels[] = {
    {BASELINE_PLAIN, "plain kernel", "the plain kernel", "plain"},
    {BASELINE_HOST, "host library", "the host library", "host"},
};

static const struct label *find(const char *name)
{
    for (size_t i = 0; i < COUNT(labels); i++)
        if (strcmp(labels[i].name, name) == 0)
            return &labels[i];
    return NULL;
}

bool baseline_is_candidate(const char *name)
{
    return strcmp(name, BASELINE_BEST) == 0 || strcmp(name, BASELINE_FIRST) == 0;
}

bool baseline_is_searched(const char *name)
{
    static const char searched[] = "autotune";

    return text_begins(name, searched);
}

const char *baseline_label(const char *name)
{
    const struct label *label = find(name);

    return label ? label->text : name;
}

const char *baseline_phrase(const char *name)
{
    const struct label *label = find(name);

    return label ? label->phrase : name;
}

const char *baseline_label_short(const char *name)
{
    const struct label *label = find(name);

    return label ? label->brief : name;
}
