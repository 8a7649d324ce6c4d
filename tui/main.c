#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"
#include "core/system/log.h"
#include "core/system/process.h"
#include "tui/cli/command.h"
#include "tui/cli/problem_file.h"

static void print_help(void)
{
    puts("kforge: write and speed up compute kernels with agents, step by step\n\n"
         "usage: kforge [COMMAND] [ARGUMENTS]      without a command: kforge run\n");
    for (size_t i = 0; command_list[i]; i++) {
        const char *summary = command_list[i]->summary;

        /* Print only the first clause of the summary. */
        printf("  %-10s %.*s\n", command_list[i]->name, (int)strcspn(summary, ".:;"), summary);
    }
    puts("\nkforge COMMAND --help shows a command's arguments.");
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; command_list[i]; i++)
        if (strcmp(command_list[i]->name, name) == 0)
            return command_list[i];
    return NULL;
}

/* Open the log. It is only for debugging kforge, so kforge also runs without it. */
static void open_log(void)
{
    char *folder = file_place_folder(FILE_STATE);
    char *path = file_join(folder, "kforge.log");

    if (!file_make_folder(folder, NULL))
        log_open(path);
    free(path);
    free(folder);
}

static bool is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static void print_command_help(const struct command *command)
{
    struct strbuf text = {0};

    strbuf_adds(&text, "usage: ");
    command_add_synopsis(command, &text);
    strbuf_addf(&text, "\n\n%s\n", command->summary);
    if (command->details)
        strbuf_addf(&text, "\n%s\n", command->details);
    strbuf_adds(&text, "\noptions:\n");
    option_add_help(command->options, &text);
    strbuf_addf(&text, "\nexit code: %s\n", command->exits);
    fputs(strbuf_cstr(&text), stdout);
    strbuf_release(&text);
}

static enum exit_code run_command_line(int argc, char **argv)
{
    const struct command *command = find_command(argv[0]);

    if (!command) {
        fprintf(stderr, "kforge: no command \"%s\": see kforge --help\n", argv[0]);
        return EXIT_CODE_USAGE;
    }
    if (argc > 1 && is_help(argv[1])) {
        print_command_help(command);
        return EXIT_CODE_IMPROVED;
    }
    return command->run(argc, argv);
}

/* True when `kforge WORD` means `kforge run WORD`.  A missing file is included: run reports it. */
static bool means_run(const char *word)
{
    char *problem = find_command(word) ? NULL : problem_file_find(word);
    bool is_problem = problem || file_has_ending(word, ".json") || file_has_ending(word, ".py");

    free(problem);
    return is_problem || word[0] == '-';
}

static enum exit_code run_arguments(int argc, char **argv)
{
    char run[] = "run";
    char *without[] = {run, NULL};

    if (argc < 2)
        return run_command_line(1, without);
    if (is_help(argv[1])) {
        print_help();
        return EXIT_CODE_IMPROVED;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("kforge " KFORGE_VERSION);
        return EXIT_CODE_IMPROVED;
    }
    if (means_run(argv[1])) {
        argv[0] = run;
        return run_command_line(argc, argv);
    }
    return run_command_line(argc - 1, argv + 1);
}

/* True if the reader of the output has closed it, as `head` does. */
static bool is_reader_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};

    return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

/* Fail if output was lost, unless its reader has closed it. */
static enum exit_code finish_output(enum exit_code code)
{
    struct error err;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (is_reader_gone())
        return code;
    error_set(&err, STATUS_IO,
              "standard output: some of it could not be written: free some space on the disk");
    return command_fail(&err);
}

int main(int argc, char **argv)
{
    process_keep_standard();
    process_hide();
    setlocale(LC_CTYPE, "");  /* not LC_NUMERIC: files have a decimal point */
    signal(SIGPIPE, SIG_IGN); /* writing to a dead worker is an error, not a signal */
    open_log();
    return (int)finish_output(run_arguments(argc, argv));
}
