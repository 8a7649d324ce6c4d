#include "backends/triton/interpreter.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/system/file.h"

static const char *python(void)
{
    const char *named = getenv("KFORGE_PYTHON");

    return named && *named ? named : "python3";
}

/* Start Python with the script; its input is read from `in`, its output goes to `out`. */
static int spawn(const char *script, int in, int out)
{
    const char *const argv[] = {python(), "-B", script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int failed;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    failed = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static enum status start(struct interpreter *interpreter, struct error *err)
{
    char *script = file_shipped("backends/python/interpreter.py");
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    int failed = pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || spawn(script, in[0], out[1]);

    free(script);
    close(in[0]);
    close(out[1]);
    if (failed) {
        close(in[1]);
        close(out[0]);
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: cannot start: name a Python that has Triton in KFORGE_PYTHON",
                         python());
    }
    interpreter->requests = fdopen(in[1], "w");
    interpreter->answers = fdopen(out[0], "r");
    return STATUS_OK;
}

enum status interpreter_open(struct interpreter *interpreter, char **version, struct error *err)
{
    struct json *request = json_object_new(), *answer = NULL;
    enum status st = start(interpreter, err);

    json_put_string(request, "do", "version");
    if (st)
        json_free(request);
    else
        st = interpreter_ask(interpreter, request, NULL, &answer, err);
    if (!st && json_get(answer, "error"))
        st = error_set(err, STATUS_UNAVAILABLE, "%s", json_get_string(answer, "error", ""));
    if (!st)
        *version = mem_strdup(json_get_string(answer, "version", "?"));
    json_free(answer);
    return st;
}

void interpreter_close(struct interpreter *interpreter)
{
    if (interpreter->requests)
        fclose(interpreter->requests);
    if (interpreter->answers)
        fclose(interpreter->answers);
    *interpreter = (struct interpreter){0};
}

static void send_request(struct interpreter *interpreter, const struct json *request,
                         const struct interpreter_memory *memory)
{
    struct strbuf line = {0};

    json_print(request, &line);
    fprintf(interpreter->requests, "%s\n", strbuf_cstr(&line));
    strbuf_release(&line);
    for (size_t i = 0; memory && i < memory->count; i++)
        fwrite(memory->items[i], 1, memory->bytes[i], interpreter->requests);
    fflush(interpreter->requests);
}

static enum status is_gone(struct error *err)
{
    return error_set(err, STATUS_IO,
                     "Python ended: does %s have Triton? Name one that does in KFORGE_PYTHON",
                     python());
}

enum status interpreter_ask(struct interpreter *interpreter, struct json *request,
                            const struct interpreter_memory *memory, struct json **answer,
                            struct error *err)
{
    char *line = NULL;
    size_t size = 0;
    struct json *got = NULL;
    bool is_whole;
    struct json *sizes = json_put(request, "buffers", json_array_new());

    for (size_t i = 0; memory && i < memory->count; i++)
        json_push(sizes, json_number_new((double)memory->bytes[i]));
    send_request(interpreter, request, memory);
    json_free(request);
    if (getline(&line, &size, interpreter->answers) > 0)
        got = json_parse(line, strlen(line), NULL);
    free(line);
    is_whole = got != NULL;
    for (size_t i = 0; is_whole && memory && !json_get(got, "error") && i < memory->count; i++)
        is_whole =
            fread(memory->items[i], 1, memory->bytes[i], interpreter->answers) == memory->bytes[i];
    if (!is_whole) {
        json_free(got);
        return is_gone(err);
    }
    *answer = got;
    return STATUS_OK;
}
