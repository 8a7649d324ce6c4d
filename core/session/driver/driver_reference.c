#include "core/session/driver/driver_reference.h"

#include <string.h>

#include "core/agent/reply/kernel_files.h"
#include "core/agent/reply/reply.h"
#include "core/agent/reply/reply_block.h"
#include "core/agent/reply/reply_derive.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/model/language.h"
#include "core/session/driver/driver_record.h"
#include "core/system/file.h"

enum { REFERENCE_MAX_BYTES = 1 << 20 };

/*
 * Read a kernel file and its plan, and make a reply of them; empty if they are not a complete
 * candidate.
 */
static void read_files(struct driver *driver, const char *path)
{
    const struct language *language = language_of_file(path);

    if (language &&
        kernel_files_read_alone(path, language->name, &driver->reference_reply, NULL) != STATUS_OK)
        strbuf_release(&driver->reference_reply);
    driver->reference_language = language ? language->name : NULL;
}

enum status driver_read_reference(struct driver *driver, const struct driver_options *options,
                                  struct error *err)
{
    const char *path = options->reference;
    enum status st = STATUS_OK;

    if (options->reference_text)
        strbuf_adds(&driver->reference, options->reference_text);
    else
        st = file_read(path, REFERENCE_MAX_BYTES, &driver->reference, err);
    if (!st && !utf8_is_text(driver->reference.data, driver->reference.len))
        st = error_set(err, STATUS_INVALID, "%s: is not text in UTF-8, as a reference must be",
                       path);
    if (st)
        return st;
    driver->reference_name = mem_strdup(file_name(path));
    if (!options->reference_text)
        read_files(driver, path);
    else if (options->reference_language)
        strbuf_adds(&driver->reference_reply, options->reference_text);
    if (options->reference_text)
        driver->reference_language = options->reference_language;
    return STATUS_OK;
}

/* The first of the device's languages in which the text has a kernel; NULL if it has none. */
static const char *language_of_text(const struct device_info *device, const char *text)
{
    struct reply_kernel kernel;

    if (!reply_find_kernel(text, device->language, &kernel, NULL))
        return language_of(kernel.language)->name;
    for (size_t i = 0; i < device->languages.count; i++)
        if (!reply_find_kernel(text, device->languages.items[i], &kernel, NULL))
            return language_of(device->languages.items[i])->name;
    return NULL;
}

/*
 * Make a reply with a candidate from the reference. False if the reference is no candidate. One in
 * a language that this device does not take is said not to be judged (leave_foreign()).
 */
static bool make_reply(struct driver *driver)
{
    const struct device_info *device = evaluator_device(driver->evaluator);
    bool is_file = driver->reference_language != NULL;
    struct strbuf *text = is_file ? &driver->reference_reply : &driver->reference;
    const char *language =
        is_file ? driver->reference_language : language_of_text(device, strbuf_cstr(text));
    struct candidate candidate = {0};
    struct strbuf completed = {0};
    bool is_candidate = language && text->len;

    is_candidate =
        is_candidate &&
        !reply_derive_plan(strbuf_cstr(text), language, &driver->problem, &completed, NULL) &&
        !reply_parse(strbuf_cstr(&completed), language, &candidate, NULL);
    strbuf_release(&driver->reference_reply);
    driver->reference_reply = completed;
    driver->reference_language = is_candidate ? language : NULL;
    candidate_release(&candidate);
    return is_candidate;
}

enum status driver_put_reference(struct driver *driver, struct session_opened *opened,
                                 struct reference_ids *ids, struct error *err)
{
    enum status st;

    if (!driver->reference_name)
        return STATUS_OK;
    opened->reference_name = driver->reference_name;
    opened->reference = ids->text;
    st = driver_put(driver, strbuf_cstr(&driver->reference), ids->text, err);
    if (st || !make_reply(driver))
        return st;
    opened->reference_reply = ids->reply;
    opened->reference_language = driver->reference_language;
    return driver_put(driver, strbuf_cstr(&driver->reference_reply), ids->reply, err);
}

bool driver_awaits_reference(const struct driver *driver)
{
    return driver->session.now.stage == STAGE_PROMPT &&
           session_has_unjudged_reference(&driver->session);
}

/* Show a notice if the reference is not correct on this device. */
static void report_reference(struct driver *driver)
{
    const struct session *s = &driver->session;
    struct strbuf line = {0};

    if (s->reference_result.outcome == OUTCOME_CORRECT ||
        s->reference_result.outcome == OUTCOME_NONE)
        return;
    strbuf_addf(&line, "the reference %s is not correct on this device: %s: %s", s->reference_name,
                outcome_name(s->reference_result.outcome), s->reference_result.detail);
    driver_set_notice(driver, strbuf_cstr(&line));
    strbuf_release(&line);
}

enum status driver_take_reference(struct driver *driver, const struct verdict *verdict,
                                  const struct json *encoded, struct error *err)
{
    struct reference_judged judged = {.outcome = verdict->outcome,
                                      .detail = verdict->detail ? verdict->detail : "",
                                      .is_timed = verdict->timing.is_present,
                                      .median_us = verdict->timing.time.median_us};
    struct strbuf text = {0};
    char id[OBJECT_ID_SIZE];
    enum status st;

    json_print_pretty(encoded, &text);
    st = driver_put(driver, strbuf_cstr(&text), id, err);
    judged.verdict = id;
    if (!st)
        st = driver_record(driver, event_make(EVENT_REFERENCE_JUDGED, &judged), err);
    if (!st)
        report_reference(driver);
    strbuf_release(&text);
    return st;
}

/* Record a verdict for a reference that the judge does not get. */
static enum status leave_out(struct driver *driver, enum outcome outcome, const char *why,
                             struct error *err)
{
    struct verdict verdict = {0};
    struct json *encoded;
    enum status st;

    verdict_conclude(&verdict, outcome, "%s", why);
    encoded = verdict_encode(&verdict);
    st = driver_take_reference(driver, &verdict, encoded, err);
    json_free(encoded);
    verdict_release(&verdict);
    return st;
}

/* The device may not take the reference's language. */
static enum status leave_foreign(struct driver *driver, struct error *err)
{
    struct strbuf why = {0};
    enum status st;

    strbuf_addf(&why, "%s takes no %s", evaluator_device(driver->evaluator)->id,
                language_title(driver->session.reference_language));
    st = leave_out(driver, OUTCOME_NONE, strbuf_cstr(&why), err);
    strbuf_release(&why);
    return st;
}

enum status driver_judge_reference(struct driver *driver, struct error *err)
{
    const struct session *s = &driver->session;
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    struct error why = {0};
    enum status st;

    if (!device_info_takes(evaluator_device(driver->evaluator), s->reference_language))
        return leave_foreign(driver, err);
    st = history_get(driver->history, s->reference_reply, &reply, err);
    if (!st && reply_parse(strbuf_cstr(&reply), s->reference_language, &candidate, &why)) {
        st = leave_out(driver, OUTCOME_BAD_REPLY, why.text, err);
    } else if (!st) {
        const struct judge_request request = {.candidate = &candidate};

        driver->evaluating_since_us = clock_now_us();
        st = evaluator_evaluate(driver->evaluator, &request, err);
        if (!st)
            driver_set_activity(driver, BUSY_EVALUATING, "judging the reference");
    }
    candidate_release(&candidate);
    strbuf_release(&reply);
    return st;
}
