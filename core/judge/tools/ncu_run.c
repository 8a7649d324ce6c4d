#include "core/judge/tools/ncu_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/tools/bottleneck.h"
#include "core/judge/tools/ncu.h"
#include "core/judge/tools/tool.h"
#include "core/system/file.h"

enum { LOG_MAX_BYTES = 64 << 20 };

enum status ncu_run_begin(struct ncu_run *run, const char *ncu, struct error *err)
{
    struct strbuf metrics = {0};

    *run = (struct ncu_run){.ncu = mem_strdup(ncu),
                            .folder = file_make_temporary_folder("kforge-tool-", err)};
    if (!run->folder)
        return STATUS_IO;
    run->log = file_join(run->folder, "log");
    run->report = file_join(run->folder, "report.ncu-rep");
    ncu_list_metrics(&metrics);
    run->metrics = strbuf_take(&metrics);
    return STATUS_OK;
}

enum status ncu_run_write_source(struct ncu_run *run, const char *file, const char *source,
                                 struct error *err)
{
    free(run->source);
    run->source = file_join(run->folder, file);
    return file_write(run->source, source, strlen(source), err);
}

static void add_words(const char **words, const char *const *more)
{
    size_t count = 0;

    while (words[count])
        count++;
    while ((words[count] = *more++))
        count++;
}

const char *const *ncu_run_command(struct ncu_run *run)
{
    const char *const always[] = {
        run->ncu,          "--log-file", run->log,    "--profile-from-start", "off",
        "--clock-control", "none",       "--metrics", run->metrics,           NULL};
    const char *const page[] = {"--csv", "--page", "raw", "--print-units", "base", NULL};
    const char *const lines[] = {"--export",         run->report,       "--section",
                                 "SourceCounters",   "--import-source", "yes",
                                 "--source-folders", run->folder,       NULL};

    run->words[0] = NULL;
    add_words(run->words, always);
    add_words(run->words, run->without_lines ? page : lines);
    return run->words;
}

/* Read the page from the log, without ncu's messages, which begin with "==". */
static enum status read_logged_page(const struct ncu_run *run, struct strbuf *text,
                                    struct error *err)
{
    struct strbuf log = {0};
    enum status st = file_read(run->log, LOG_MAX_BYTES, &log, err);
    const char *line = strbuf_cstr(&log);

    while (!st && *line) {
        size_t len = strcspn(line, "\n");

        len += line[len] == '\n';
        if (strncmp(line, "==", 2) != 0)
            strbuf_add(text, line, len);
        line += len;
    }
    strbuf_release(&log);
    return st;
}

static enum status print_page(const struct ncu_run *run, const char *page, struct strbuf *text,
                              struct error *err)
{
    const char *const argv[] = {
        run->ncu,        "--import", run->report,      "--csv",     "--page", page,
        "--print-units", "base",     "--print-source", "cuda,sass", NULL};
    const char *const without_source[] = {argv[0], argv[1], argv[2], argv[3], argv[4],
                                          argv[5], argv[6], argv[7], NULL};

    return tool_run(strcmp(page, "source") == 0 ? argv : without_source, text, err);
}

/* The reason why there is no report: that in ncu's log, or else `err`. */
static char *explain(const struct ncu_run *run, const struct error *err)
{
    struct strbuf log = {0};
    char *why;

    if (file_read(run->log, LOG_MAX_BYTES, &log, NULL))
        log.len = 0;
    why = ncu_find_error(strbuf_cstr(&log));
    strbuf_release(&log);
    return why ? why : mem_strdup(err->text);
}

void ncu_run_read(const struct ncu_run *run, struct error *why, struct profile *profile)
{
    struct strbuf raw = {0}, lines = {0};
    enum status st =
        run->without_lines ? read_logged_page(run, &raw, why) : print_page(run, "raw", &raw, why);

    if (st || !ncu_read_raw(strbuf_cstr(&raw), profile)) {
        profile->missing = explain(run, why);
        strbuf_release(&raw);
        return;
    }
    if (!run->without_lines && !print_page(run, "source", &lines, why))
        ncu_read_source(strbuf_cstr(&lines), profile);
    bottleneck_find(profile);
    profile->raw = strbuf_take(&raw);
    strbuf_release(&lines);
}

void ncu_run_release(struct ncu_run *run)
{
    tool_folder_free(run->folder);
    free(run->ncu);
    free(run->log);
    free(run->report);
    free(run->source);
    free(run->metrics);
    *run = (struct ncu_run){0};
}
