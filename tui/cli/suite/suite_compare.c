#include "tui/cli/suite/suite_compare.h"

#include "core/suite/report/suite_report.h"
#include "core/system/file.h"
#include "tui/cli/suite/compare_text.h"
#include "tui/cli/suite/report_data.h"

enum { REPORT_MAX_BYTES = 256 << 20 };

static enum status read_suite(const char *id, struct json **report, struct error *err)
{
    struct suite_store store = {0};
    struct suite_report made;
    enum status st = suite_store_open(&store, id, false, err);

    if (!st) {
        suite_report_make(&made, &store);
        *report = report_data_encode(&made);
        suite_report_release(&made);
    }
    suite_store_close(&store);
    return st;
}

/* The report of a suite, or of a file that `kforge suite report --json` wrote. */
static enum status read_report(const char *name, struct json **report, struct error *err)
{
    struct strbuf text = {0};
    struct error why;
    enum status st;

    if (!file_exists(name))
        return read_suite(name, report, err);
    st = file_read(name, REPORT_MAX_BYTES, &text, err);
    if (!st && !(*report = json_parse(strbuf_cstr(&text), text.len, &why)))
        st = error_set(err, STATUS_INVALID, "%s: %s", name, why.text);
    strbuf_release(&text);
    return st;
}

/*
 * Append the source of a report, such as "old: night, suite ID: a device of host gpu7, kforge
 * 0.1.0".
 */
static void add_source(const char *which, const struct json *report, struct strbuf *out)
{
    const struct json *machines = json_get(report, "machines");

    strbuf_addf(out, "%s: %s, suite %s", which, json_string(json_get(report, "name"), "-"),
                json_string(json_get(report, "suite"), "-"));
    for (const struct json *at = json_first(machines); at; at = json_next(at))
        strbuf_addf(out, "%s %s of host %s, kforge %s", at == json_first(machines) ? ":" : ";",
                    json_string(json_get(at, "device"), "an unknown device"),
                    json_string(json_get(at, "host"), "-"),
                    json_string(json_get(at, "kforge"), "-"));
    strbuf_adds(out, "\n");
}

static void print(const struct suite_comparison *comparison, struct json *const reports[2],
                  const struct suite_options *options)
{
    struct strbuf text = {0};
    struct json *object;

    if (options->as_json) {
        object = compare_text_encode(comparison);
        command_print_json(object);
        json_free(object);
        return;
    }
    add_source("old", reports[0], &text);
    add_source("new", reports[1], &text);
    compare_text_add(comparison, options->as_markdown, &text);
    command_print("%s", strbuf_cstr(&text));
    strbuf_release(&text);
}

static enum status compare(const struct suite_options *options, size_t *worse, struct error *err)
{
    struct json *reports[2] = {NULL};
    struct json_ref old, new;
    struct suite_comparison comparison = {0};
    enum status st = read_report(options->arguments[0], &reports[0], err);

    if (!st)
        st = read_report(options->arguments[1], &reports[1], err);
    old = json_ref_root(reports[0], options->arguments[0]);
    new = json_ref_root(reports[1], options->arguments[1]);
    if (!st)
        st = suite_comparison_make(&comparison, &old, &new, err);
    if (!st)
        print(&comparison, reports, options);
    *worse = comparison.worse;
    suite_comparison_release(&comparison);
    json_free(reports[0]);
    json_free(reports[1]);
    return st;
}

enum exit_code suite_compare_print(const struct suite_options *options)
{
    struct error err = {0};
    size_t worse = 0;
    enum status st = options->argument_count == 2
                         ? STATUS_OK
                         : error_set(&err, STATUS_INVALID,
                                     "suite compare: expected OLD NEW: see kforge suite --help");

    if (!st)
        st = compare(options, &worse, &err);
    if (st)
        return command_fail(&err);
    return worse ? EXIT_CODE_INCORRECT : EXIT_CODE_IMPROVED;
}
