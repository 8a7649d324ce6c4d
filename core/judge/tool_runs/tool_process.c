#include "core/judge/tool_runs/tool_process.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/vec.h"

/* Additional time limits: a tool is slow, because it repeats each kernel or checks each access. */
enum { TOOL_RUN_US = 30000000, GRACE_US = 30000000 };

struct tool_process {
    struct {
        const char **items;
        size_t count, capacity;
    } words;
    char *program; /* the executor's path: "/proc/self/exe" would be the tool itself */
    char *device;
    struct child_cancel cancel;
    struct executor *executor;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* protects the rest */
    pthread_cond_t changed;
    bool is_opened, is_over;
};

static void add_words(struct tool_process *process, const char *const *more)
{
    for (; *more; more++)
        vec_push(&process->words, *more);
}

struct tool_process *tool_process_new(const struct tool_process_spec *spec)
{
    struct tool_process *process = mem_alloc_zeroed(1, sizeof(*process));
    struct executor_options options = *spec->executor;

    process->program = realpath(options.argv[0], NULL);
    process->cancel = options.cancel;
    add_words(process, spec->tool);
    vec_push(&process->words, process->program ? process->program : options.argv[0]);
    add_words(process, options.argv + 1);
    vec_push(&process->words, "--under-tool");
    vec_push(&process->words, NULL);
    options.argv = process->words.items;
    options.device = process->device = mem_strdup(spec->device);
    options.run_limit_us += TOOL_RUN_US;
    options.leaves_memory = spec->leaves_memory;
    options.warms_profiler = spec->warms_profiler;
    options.cancel = (struct child_cancel){0}; /* two threads must not read a request to cancel */
    options.grace_us = 0;
    process->executor = executor_new(&options);
    pthread_mutex_init(&process->lock, NULL);
    pthread_cond_init(&process->changed, NULL);
    return process;
}

/*
 * The thread stays as long as the process, which is killed when the thread that started it ends
 * (prctl(2), PR_SET_PDEATHSIG).
 */
static void *open_device(void *data)
{
    struct tool_process *process = data;
    const struct device_info *device;
    struct error later;

    (void)!executor_device(process->executor, &device, &later);
    pthread_mutex_lock(&process->lock);
    process->is_opened = true;
    pthread_cond_broadcast(&process->changed);
    while (!process->is_over)
        pthread_cond_wait(&process->changed, &process->lock);
    pthread_mutex_unlock(&process->lock);
    return NULL;
}

void tool_process_begin(struct tool_process *process)
{
    process->has_thread = pthread_create(&process->thread, NULL, open_device, process) == 0;
}

void tool_process_settle(struct tool_process *process)
{
    if (!process || !process->has_thread)
        return;
    pthread_mutex_lock(&process->lock);
    while (!process->is_opened)
        pthread_cond_wait(&process->changed, &process->lock);
    pthread_mutex_unlock(&process->lock);
}

static void end_thread(struct tool_process *process)
{
    pthread_mutex_lock(&process->lock);
    process->is_over = true;
    pthread_cond_broadcast(&process->changed);
    pthread_mutex_unlock(&process->lock);
    if (process->has_thread)
        pthread_join(process->thread, NULL);
}

struct executor *tool_process_executor(struct tool_process *process)
{
    tool_process_settle(process);
    executor_adopt(process->executor, &process->cancel, GRACE_US);
    return process->executor;
}

void tool_process_free(struct tool_process *process)
{
    if (!process)
        return;
    tool_process_settle(process);
    executor_free(process->executor);
    end_thread(process);
    pthread_cond_destroy(&process->changed);
    pthread_mutex_destroy(&process->lock);
    vec_release(&process->words);
    free(process->program);
    free(process->device);
    free(process);
}
