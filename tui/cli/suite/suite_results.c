#include "tui/cli/suite/suite_results.h"

#include <stdio.h>

#include "core/suite/report/suite_report.h"
#include "core/system/file.h"
#include "tui/cli/suite/report_data.h"
#include "tui/cli/suite/report_svg.h"
#include "tui/cli/suite/report_text.h"

static enum status check_forms(const struct suite_options *options, struct error *err)
{
    if (options->as_json + options->as_csv + options->as_markdown + (options->svg != NULL) > 1)
        return error_set(err, STATUS_INVALID,
                         "--json, --csv, --markdown and --svg: choose one of them");
    return STATUS_OK;
}

static enum status write_picture(const struct suite_report *report, const char *path,
                                 struct error *err)
{
    struct strbuf text = {0};
    enum status st;

    report_svg_add(report, &text);
    st = file_write(path, text.data, text.len, err);
    if (!st)
        command_print("%s\n", path);
    strbuf_release(&text);
    return st;
}

static enum status print(const struct suite_store *store, const struct suite_options *options,
                         struct error *err)
{
    enum status st = STATUS_OK;
    struct suite_report report;
    struct strbuf text = {0};

    suite_report_make(&report, store);
    if (options->svg) {
        st = write_picture(&report, options->svg, err);
    } else if (options->as_json) {
        struct json *object = report_data_encode(&report);

        command_print_json(object);
        json_free(object);
    } else if (options->as_csv) {
        report_data_add_csv(&report, &text);
        fputs(strbuf_cstr(&text), stdout);
    } else {
        report_text_add(&report, options->as_markdown, &text);
        command_print("%s", strbuf_cstr(&text));
    }
    suite_report_release(&report);
    strbuf_release(&text);
    return st;
}

enum exit_code suite_report_print(const struct suite_options *options)
{
    struct suite_store store = {0};
    enum exit_code code = EXIT_CODE_IMPROVED;
    const char *id;
    struct error err;

    if (check_forms(options, &err) || suite_options_id(options, &id, &err) ||
        suite_store_open(&store, id, false, &err) || print(&store, options, &err))
        code = command_fail(&err);
    suite_store_close(&store);
    return code;
}
