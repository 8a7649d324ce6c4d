#include "core/agent/builtin/transfer.h"

#include <string.h>

#include "core/agent/builtin/plan/family.h"
#include "core/agent/builtin/plan/fusion.h"
#include "core/base/array.h"

/* Choices that suit every device. */
static const enum knob portable[] = {KNOB_FUSE, KNOB_FAST,  KNOB_DROP,
                                     KNOB_FOLD, KNOB_CHAIN, KNOB_AHEAD};

/*
 * Read the schedule's line at any place of the text, because a reference may be a reply in
 * Markdown.
 */
static bool find_schedule(const char *text, struct schedule *schedule)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (schedule_read(schedule, line))
            return true;
    }
    return false;
}

/* On a CPU a work-group is one work-item. */
static bool is_of_cpu(const struct schedule *schedule)
{
    return schedule->of[KNOB_GROUP] == 1;
}

static void take_portable(const struct schedule *from, struct schedule *to)
{
    for (size_t i = 0; i < COUNT(portable); i++)
        to->of[portable[i]] = from->of[portable[i]];
}

/* True if the reference has matrix units, and this device and the tolerance allow them. */
static bool suits_matrix_units(const struct brief *brief, const struct schedule *taken)
{
    return taken->of[KNOB_MATRIX] && schedule_matrix_units(brief->device) != MATRIX_UNITS_NONE &&
           family_finds_matrix(brief->problem, brief_language(brief), taken);
}

/*
 * Drop choices that this device or the problem's tolerance does not allow; `own` is the device's
 * schedule. A reference without matrix units may come from a device that has none, so that the
 * device's own choices about them stay.
 */
static void adapt(const struct brief *brief, const struct schedule *own, struct schedule *taken)
{
    if (!suits_matrix_units(brief, taken))
        for (enum knob knob = KNOB_MATRIX; knob <= KNOB_PERSIST; knob++)
            taken->of[knob] = own->of[knob];
    if (taken->of[KNOB_FAST] > own->of[KNOB_FAST])
        taken->of[KNOB_FAST] = own->of[KNOB_FAST];
}

static void describe_transfer(const struct brief *brief, const struct schedule *from,
                              const struct schedule *to, struct strbuf *remark)
{
    struct strbuf change = {0};

    schedule_difference(from, to, ~0U, &change);
    strbuf_addf(remark, "The reference's schedule\n\nThe first schedule is that of %s%s%s. ",
                brief->reference_name ? brief->reference_name : "the reference",
                change.len ? ", in place of this device's: " : ", as is this device's own",
                strbuf_cstr(&change));
    strbuf_release(&change);
}

/* The title says it too, because it is what a list of steps and a session without a screen show. */
static void refuse(const struct brief *brief, const char *title, const char *why,
                   struct strbuf *remark)
{
    strbuf_addf(remark,
                "First schedule: %s\n\nThe reference %s is not used: it %s. This is a "
                "cautious schedule for this device. ",
                title, brief->reference_name ? brief->reference_name : "", why);
}

bool transfer_take(const struct brief *brief, struct schedule *schedule, struct strbuf *remark)
{
    const struct schedule own = *schedule;
    struct schedule taken = own;
    struct strbuf reason = {0};
    struct error why = {0};
    unsigned families = 0;

    if (!brief->reference)
        return false;
    if (brief->reference_verdict && !brief->reference_is_correct) {
        refuse(brief, "the reference is wrong here", "is not correct on this device", remark);
    } else if (!find_schedule(brief->reference, &taken)) {
        refuse(brief, "the reference has none",
               "has no schedule of the built-in agents, who did not write it", remark);
    } else {
        if (is_of_cpu(&taken) != brief->device->is_cpu) {
            const struct schedule read = taken;

            taken = own;
            take_portable(&read, &taken);
        }
        adapt(brief, &own, &taken);
        if (schedule_check(&taken, &why) ||
            fusion_find_families(brief->problem, brief_language(brief), &taken, &families, &why)) {
            strbuf_addf(&reason, "has a schedule that does not suit (%s)", why.text);
            refuse(brief, "the reference's does not suit", strbuf_cstr(&reason), remark);
            strbuf_release(&reason);
            return true;
        }
        *schedule = taken;
        describe_transfer(brief, &own, &taken, remark);
    }
    return true;
}
