#include "backends/host/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/text.h"

/*
 * True for variables that are not passed on: the language of messages is set here, and a sanitizer
 * of this process must not be loaded into its compilers.
 */
static bool is_left_out(const char *variable)
{
    static const char preload[] = "LD_PRELOAD=";

    return strncmp(variable, "LC_", 3) == 0 || strncmp(variable, "LANG", 4) == 0 ||
           text_begins(variable, preload);
}

/*
 * Copy this process's environment, with English messages and without preloaded libraries. The
 * caller frees the array.
 */
static char **make_environment(void)
{
    static char english[] = "LC_ALL=C";
    size_t count = 0, kept = 0;
    char **made;

    while (environ[count])
        count++;
    made = mem_alloc_zeroed(count + 2, sizeof(*made));
    for (size_t i = 0; i < count; i++)
        if (!is_left_out(environ[i]))
            made[kept++] = environ[i];
    made[kept] = english;
    return made;
}

bool spawn_run(const char *const *argv, int output)
{
    posix_spawn_file_actions_t actions;
    char **environment = make_environment();
    pid_t child = 0;
    int status = -1, failed;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    failed =
        posix_spawn(&child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return !failed && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}
