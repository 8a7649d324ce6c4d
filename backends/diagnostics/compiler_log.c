#include "backends/diagnostics/compiler_log.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"

/* The format of a line: a pattern, and which of its groups holds what; 0 for none. */
struct form {
    const char *pattern;
    size_t severity, line, column, text;
};

enum { MAX_GROUPS = 6 };

/* Longer lines are cut before they are matched: regexec() may need quadratic time. */
enum { LINE_MAX_BYTES = 2048 };

#define SEVERITY "(fatal error|error|fatal|warning|note)"

/* The first format that matches a line applies. */
static const struct form forms[] = {
    /* error: /tmp/tempfile_Jh45VL.cl:5:12 <Spelling=...>: use of undeclared identifier 'y' */
    {"^" SEVERITY ": [^:]+:([0-9]+):([0-9]+)( <Spelling=.*>)?: (.*)$", 1, 2, 3, 5},
    /* error: unknown argument: '-nonsense' */
    {"^" SEVERITY ": (.*)$", 1, 0, 0, 2},
    /* <built-in>:1:11: note: expanded from here */
    {"^<(built-in|command line|scratch space)>:[0-9]+:[0-9]+: " SEVERITY ": (.*)$", 2, 0, 0, 3},
    /* <kernel>:5:12: error: use of undeclared identifier 'y' */
    {"^[^ ].*:([0-9]+):([0-9]+): " SEVERITY ": (.*)$", 3, 1, 2, 4},
    /* kernel.cu(3): error: identifier "nowhere" is undefined; warning #177-D: variable ... */
    {"^[^ ].*\\(([0-9]+)\\): " SEVERITY "( #[0-9]+-D)?: (.*)$", 2, 1, 0, 4},
    /* nvrtc: error: unrecognized option -nonsense found */
    {"^nvrtc: " SEVERITY ": (.*)$", 1, 0, 0, 2},
    /* ptxas application ptx input, line 25; error   : Not a name of any known instruction */
    {"^ptxas .*" SEVERITY " *: (.*)$", 1, 0, 0, 2},
};

enum { FORM_COUNT = COUNT(forms) };

char *compiler_log_name_source(const char *log)
{
    static const char mark[] = "/tempfile_", ending[] = ".cl";
    static const char characters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    struct strbuf named = {0};
    const char *found;

    while ((found = strstr(log, mark))) {
        const char *begin = found, *end = found + strlen(mark);

        while (begin > log && !strchr(" :=<>\n", begin[-1]))
            begin--;
        end += strspn(end, characters);
        if (text_begins(end, ending)) {
            strbuf_add(&named, log, (size_t)(begin - log));
            strbuf_adds(&named, "kernel.cl");
            end += strlen(ending);
        } else {
            strbuf_add(&named, log, (size_t)(end - log));
        }
        log = end;
    }
    strbuf_adds(&named, log);
    return strbuf_take(&named);
}

static unsigned number_at(const char *text, regmatch_t match)
{
    return (unsigned)strtoul(text + match.rm_so, NULL, 10);
}

/* The severities begin with different letters ("fatal" counts as an error). */
static enum severity severity_at(const char *text, regmatch_t match)
{
    switch (text[match.rm_so]) {
    case 'w':
        return SEVERITY_WARNING;
    case 'n':
        return SEVERITY_NOTE;
    default:
        return SEVERITY_ERROR;
    }
}

/* The text, cut at COMPILER_LOG_TEXT_BYTES.  The caller frees it. */
static char *short_text(const char *text)
{
    struct strbuf copy = {0};
    size_t len = strnlen(text, COMPILER_LOG_TEXT_BYTES + 1);

    if (len <= COMPILER_LOG_TEXT_BYTES)
        return mem_strdup(text);
    (void)utf8_add_whole(&copy, text, COMPILER_LOG_TEXT_BYTES, false);
    strbuf_adds(&copy, " ...");
    return strbuf_take(&copy);
}

/* The messages of a log while it is read. */
struct reading {
    struct build_report *report;
    const regex_t *compiled; /* one for each form */
    size_t errors, others;   /* messages in the report, by severity */
    size_t left_out;         /* messages beyond the limits */
};

static bool is_known(const struct build_report *report, const struct diagnostic *new)
{
    for (size_t i = 0; i < report->diagnostics.count; i++) {
        const struct diagnostic *old = &report->diagnostics.items[i];

        if (old->severity == new->severity && old->line == new->line &&
            old->column == new->column &&strcmp(old->text, new->text) == 0)
            return true;
    }
    return false;
}

static void add(struct reading *reading, const struct form *form, const char *line,
                const regmatch_t *groups)
{
    struct diagnostic found = {
        .severity = severity_at(line, groups[form->severity]),
        .line = form->line ? number_at(line, groups[form->line]) : 0,
        .column = form->column ? number_at(line, groups[form->column]) : 0,
        .text = short_text(line + groups[form->text].rm_so),
    };
    size_t *count = found.severity == SEVERITY_ERROR ? &reading->errors : &reading->others;
    bool is_new = !is_known(reading->report, &found), has_room = *count < COMPILER_LOG_MESSAGES;

    if (is_new && has_room) {
        vec_push(&reading->report->diagnostics, found);
        ++*count;
        return;
    }
    reading->left_out += is_new;
    free(found.text);
}

/*
 * NVRTC marks the column in a line of its own, with the source shifted right by two:
 *
 *	kernel.cu(3): error: identifier "nowhere" is undefined
 *	      y[0] = nowhere;
 *	             ^
 */
static bool read_caret(const struct reading *reading, const char *line)
{
    const struct build_report *report = reading->report;
    size_t indent = strspn(line, " \t"), count = report->diagnostics.count;
    struct diagnostic *last = count > 0 ? &report->diagnostics.items[count - 1] : NULL;

    if (indent < 2 || strcmp(line + indent, "^") != 0)
        return false;
    if (last && last->line > 0 && last->column == 0 && !reading->left_out)
        last->column = (unsigned)indent - 1;
    return true;
}

static void read_line(struct reading *reading, char *line)
{
    regmatch_t groups[MAX_GROUPS];

    if (read_caret(reading, line))
        return;
    line[strnlen(line, LINE_MAX_BYTES)] = '\0';
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (regexec(&reading->compiled[i], line, MAX_GROUPS, groups, 0) == 0) {
            add(reading, &forms[i], line, groups);
            return;
        }
    }
}

/* Say at the end of the list how many messages are missing in it. */
static void add_rest(const struct reading *reading)
{
    struct strbuf text = {0};

    if (!reading->left_out)
        return;
    strbuf_addf(&text, "the compiler printed %zu more messages", reading->left_out);
    vec_push(&reading->report->diagnostics,
             ((struct diagnostic){.severity = SEVERITY_NOTE, .text = strbuf_take(&text)}));
}

static void read_lines(struct reading *reading)
{
    char *log = mem_strdup(reading->report->log);
    char *rest = log, *line;

    while ((line = strsep(&rest, "\n")))
        read_line(reading, line);
    add_rest(reading);
    free(log);
}

/* Cut the log at the end of a line, and say so. */
static void shorten(struct build_report *report)
{
    size_t len = strlen(report->log), kept = COMPILER_LOG_MAX_BYTES;
    struct strbuf log = {0};

    if (len <= kept)
        return;
    while (kept > 0 && report->log[kept - 1] != '\n')
        kept--;
    if (kept)
        strbuf_add(&log, report->log, kept);
    else
        kept = utf8_add_whole(&log, report->log, COMPILER_LOG_MAX_BYTES, false);
    strbuf_addf(&log, "\n... %zu more bytes\n", len - kept);
    free(report->log);
    report->log = strbuf_take(&log);
}

void compiler_log_read(struct build_report *report)
{
    regex_t compiled[FORM_COUNT];
    struct reading reading = {.report = report, .compiled = compiled};

    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (regcomp(&compiled[i], forms[i].pattern, REG_EXTENDED))
            abort(); /* a pattern above is wrong, or memory has run out */
    }
    read_lines(&reading);
    for (size_t i = 0; i < FORM_COUNT; i++)
        regfree(&compiled[i]);
    shorten(report);
}

static bool has_error(const struct build_report *report)
{
    for (size_t i = 0; i < report->diagnostics.count; i++) {
        if (report->diagnostics.items[i].severity == SEVERITY_ERROR)
            return true;
    }
    return false;
}

/* The non-empty lines of `text`, joined by blanks.  The caller frees. */
static char *joined(const char *text)
{
    struct strbuf sb = {0};
    char *copy = mem_strdup(text);
    char *rest = copy;
    const char *line;

    while ((line = strsep(&rest, "\n"))) {
        if (*line)
            strbuf_addf(&sb, "%s%s", sb.len ? " " : "", line);
    }
    free(copy);
    return strbuf_take(&sb);
}

void compiler_log_read_failure(struct build_report *report)
{
    struct diagnostic whole = {.severity = SEVERITY_ERROR};
    char *text;

    compiler_log_read(report);
    if (has_error(report))
        return;
    text = joined(*report->log ? report->log : "the compiler gave no reason");
    whole.text = short_text(text);
    vec_push(&report->diagnostics, whole);
    free(text);
}

/* The number before `unit` in `line`, as in "0 bytes stack frame, 16 bytes spill stores". */
static bool number_before(const char *line, const char *unit, int64_t *number)
{
    const char *end = strstr(line, unit), *digits = end;

    while (digits && digits > line && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (!end || digits == end)
        return false;
    *number = strtoll(digits, NULL, 10);
    return true;
}

static bool is_about(const char *line, const char *kernel)
{
    const char *name = strchr(line, '\'');
    size_t len = strlen(kernel);

    return name && strncmp(name + 1, kernel, len) == 0 && name[len + 1] == '\'';
}

/*
 * The lines of ptxas -v:
 *
 *	ptxas info    : Compiling entry function 'scale' for 'sm_90'
 *	ptxas info    : Function properties for scale
 *	ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *	ptxas info    : Used 56 registers, used 0 barriers
 */
void compiler_log_read_resources(const char *log, struct kernel_resources *found)
{
    char *copy = mem_strdup(log), *rest = copy;
    bool is_meant = false;
    const char *line;

    while ((line = strsep(&rest, "\n"))) {
        int64_t stored = 0, loaded = 0;

        if (strstr(line, "Compiling entry function"))
            is_meant = is_about(line, found->kernel);
        if (is_meant && number_before(line, " bytes spill stores", &stored) &&
            number_before(line, " bytes spill loads", &loaded)) {
            found->has_spills = true;
            found->spill_bytes = stored < INT64_MAX - loaded ? stored + loaded : INT64_MAX;
        }
        if (is_meant && number_before(line, " registers", &found->registers))
            found->has_registers = true;
    }
    free(copy);
}
