#include "core/model/profile.h"

#include <string.h>

static const struct field metric_fields[] = {
    {FIELD(TEXT, struct profile_metric, name)},
    {FIELD(REAL, struct profile_metric, value)},
    {FIELD(TEXT, struct profile_metric, unit)},
    {0},
};
static const struct field metric_row = {.kind = FIELD_RECORD, .fields = metric_fields};

static const struct field hot_line_fields[] = {
    {FIELD(UNSIGNED, struct hot_line, line)},
    {FIELD(REAL, struct hot_line, share)},
    {0},
};
static const struct field hot_line_row = {.kind = FIELD_RECORD, .fields = hot_line_fields};

static const struct field kernel_fields[] = {
    {FIELD(TEXT, struct kernel_profile, name)},
    {FIELD(REAL, struct kernel_profile, us)},
    {FIELD(REAL, struct kernel_profile, share)},
    {FIELD(LIST, struct kernel_profile, metrics), .item = &metric_row,
     .size = sizeof(struct profile_metric)},
    {FIELD(LIST, struct kernel_profile, hot), .item = &hot_line_row,
     .size = sizeof(struct hot_line)},
    {0},
};
static const struct field kernel_row = {.kind = FIELD_RECORD, .fields = kernel_fields};

static const struct field rule_fields[] = {
    {FIELD(TEXT, struct profile_rule, name)},
    {FIELD(TEXT, struct profile_rule, kernel)},
    {FIELD(TEXT, struct profile_rule, text)},
    {FIELD(REAL, struct profile_rule, estimate),
     .presence = offsetof(struct profile_rule, has_estimate)},
    {0},
};
static const struct field rule_row = {.kind = FIELD_RECORD, .fields = rule_fields};

const struct field profile_fields[] = {
    {FIELD(TEXT, struct profile, source)},
    {.key = "kept",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct profile, is_kept),
     .presence = offsetof(struct profile, is_kept)},
    {FIELD(TEXT, struct profile, missing)},
    {FIELD(LIST, struct profile, kernels), .item = &kernel_row,
     .size = sizeof(struct kernel_profile)},
    {FIELD(LIST, struct profile, rules), .item = &rule_row, .size = sizeof(struct profile_rule)},
    {FIELD(TEXT, struct profile, raw)},
    {0},
};

void profile_release(struct profile *profile)
{
    record_release(profile_fields, profile);
    *profile = (struct profile){0};
}

const struct profile_metric *profile_find_metric(const struct kernel_profile *kernel,
                                                 const char *name)
{
    for (size_t i = 0; i < kernel->metrics.count; i++)
        if (strcmp(kernel->metrics.items[i].name, name) == 0)
            return &kernel->metrics.items[i];
    return NULL;
}
