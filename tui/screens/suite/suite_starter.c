#include "tui/screens/suite/suite_starter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/system/loop.h"

/* The time in which the process must end after it has closed its output. */
static const int64_t ending_us = 1000000;

enum { OUTPUT_BYTES = 4096 };

void suite_arguments_add(struct suite_arguments *arguments, const char *text)
{
    vec_push(arguments, mem_strdup(text));
}

void suite_arguments_add_option(struct suite_arguments *arguments, const char *option,
                                const char *value)
{
    if (!value)
        return;
    suite_arguments_add(arguments, option);
    suite_arguments_add(arguments, value);
}

static void release(struct suite_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->items[i]);
    vec_release(arguments);
}

/* The last line of the output, without the prefix "kforge: ". */
static const char *last_line(char *output)
{
    static const char name[] = "kforge: ";
    char *end = output + strlen(output), *line;

    while (end > output && end[-1] == '\n')
        *--end = '\0';
    line = strrchr(output, '\n');
    line = line ? line + 1 : output;
    return text_begins(line, name) ? line + strlen(name) : line;
}

/* The id of the started suite, from {"suite": id}; NULL if the line has none. */
static char *read_id(const char *line)
{
    struct json *said = json_parse(line, strlen(line), NULL);
    const char *id = said ? json_get_string(said, "suite", NULL) : NULL;
    char *copy = id ? mem_strdup(id) : NULL;

    json_free(said);
    return copy;
}

static void conclude(struct suite_starter *starter)
{
    struct strbuf output = starter->output;
    const char *line = output.len ? last_line(output.data) : "it gave no reason";
    char *id;

    starter->output = (struct strbuf){0};
    loop_unwatch(starter->host->loop, starter->process.out);
    process_finish(&starter->process, ending_us);
    id = read_id(line);
    if (id)
        starter->started(starter->data, id);
    else
        chrome_say(starter->host->chrome, ROLE_BAD, "the suite did not begin: %s", line);
    starter->host->ops->changed(starter->host);
    free(id);
    strbuf_release(&output);
}

static void on_output(void *data, int fd, unsigned ready)
{
    struct suite_starter *starter = data;
    char bytes[OUTPUT_BYTES];
    ssize_t len = read(fd, bytes, sizeof(bytes));

    (void)ready;
    if (len > 0)
        strbuf_add(&starter->output, bytes, (size_t)len);
    else
        conclude(starter);
}

void suite_starter_begin(struct suite_starter *starter, struct suite_arguments *arguments)
{
    struct process_spec spec = {.stderr_fd = STDOUT_FILENO, .own_session = true};
    struct error err = {0};

    vec_push(arguments, NULL);
    spec.argv = (const char *const *)arguments->items;
    if (starter->process.pid)
        chrome_say(starter->host->chrome, ROLE_WARNING, "another suite is just starting");
    else if (process_start(&starter->process, &spec, &err))
        chrome_say_error(starter->host->chrome, &err);
    else
        loop_watch(starter->host->loop, starter->process.out, LOOP_READ, on_output, starter);
    release(arguments);
}

void suite_starter_resume(struct suite_starter *starter, const char *suite)
{
    static const char *const words[] = {"/proc/self/exe", "suite", "resume"};
    struct suite_arguments arguments = {0};

    for (size_t i = 0; i < COUNT(words); i++)
        suite_arguments_add(&arguments, words[i]);
    suite_arguments_add(&arguments, suite);
    suite_arguments_add(&arguments, "--detach");
    suite_arguments_add(&arguments, "--json");
    suite_starter_begin(starter, &arguments);
}

void suite_starter_leave(struct suite_starter *starter)
{
    if (starter->process.pid) {
        loop_unwatch(starter->host->loop, starter->process.out);
        close(starter->process.in);
        close(starter->process.out);
    }
    strbuf_release(&starter->output);
    starter->process = (struct process){0};
}
