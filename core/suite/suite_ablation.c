#include "core/suite/suite_ablation.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/roles.h"
#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

static bool take_analyst(struct suite_arm *arm)
{
    bool has = !arm->analyst || strcmp(arm->analyst, ROLES_NOBODY) != 0;

    free(arm->analyst);
    arm->analyst = mem_strdup(ROLES_NOBODY);
    return has;
}

static bool take_profile(struct suite_arm *arm)
{
    bool has = !arm->without_profile;

    arm->without_profile = true;
    return has;
}

static bool take_reference(struct suite_arm *arm)
{
    bool has = arm->reference != NULL;

    free(arm->reference);
    arm->reference = NULL;
    return has;
}

/*
 * Each function removes its part from an arm; it returns false if the arm does not have that part.
 */
static const struct part {
    const char *name;
    bool (*take)(struct suite_arm *arm);
} parts[] = {{"analyst", take_analyst}, {"profile", take_profile}, {"reference", take_reference}};

static const struct part *find_part(const char *name, size_t len)
{
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strlen(parts[i].name) == len && memcmp(parts[i].name, name, len) == 0)
            return &parts[i];
    return NULL;
}

static enum status add_without(struct suite *suite, size_t from, size_t arms,
                               const struct part *part, struct error *err)
{
    struct suite_arm arm = suite_arm_copy(&suite->arms.items[from]);
    bool has = part->take(&arm);
    struct strbuf name = {0};
    enum status st = STATUS_OK;

    if (arms > 1)
        strbuf_addf(&name, "%s-", arm.name);
    strbuf_addf(&name, "no-%s", part->name);
    if (!has)
        st = error_set(err, STATUS_INVALID, "--ablate %s: arm \"%s\" has none", part->name,
                       arm.name);
    else if (name.len > SUITE_MOST_NAME)
        st = error_set(err, STATUS_INVALID,
                       "--ablate %s: \"%s\" is longer than %d characters: shorten the arm's name",
                       part->name, strbuf_cstr(&name), SUITE_MOST_NAME);
    free(arm.name);
    arm.name = strbuf_take(&name);
    vec_push(&suite->arms, arm);
    return st;
}

enum status suite_ablate(struct suite *suite, const char *names, struct error *err)
{
    size_t arms = suite->arms.count;
    enum status st = STATUS_OK;

    while (!st && *names) {
        size_t len = strcspn(names, ",");
        const struct part *part = find_part(names, len);

        if (!part)
            return error_set(err, STATUS_INVALID,
                             "--ablate: no part \"%.*s\": expected analyst, profile or reference",
                             (int)len, names);
        for (size_t i = 0; !st && i < arms; i++)
            st = add_without(suite, i, arms, part, err);
        names += len + (names[len] == ',');
    }
    return st;
}
