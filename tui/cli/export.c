#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/recorded/export.h"
#include "core/system/file.h"
#include "tui/cli/command.h"
#include "tui/cli/run_options.h"

struct exporting {
    const char *session, *folder;
    unsigned attempt; /* 0: the best */
    bool as_recording, is_standalone;
    enum export_form form; /* of what stands on its own */
};

static enum status take_form(struct exporting *e, const char *name, struct error *err)
{
    e->is_standalone = true;
    e->form = strcmp(name, "torch") == 0 ? EXPORT_TORCH : EXPORT_C;
    return e->form == EXPORT_TORCH || strcmp(name, "c") == 0
               ? STATUS_OK
               : error_set(err, STATUS_INVALID, "--as \"%s\": there is c and torch", name);
}

static enum status take_option(struct exporting *e, int id, struct error *err)
{
    switch (id) {
    case 'r':
        e->as_recording = true;
        return STATUS_OK;
    case 's':
        return take_form(e, optarg, err);
    case 'a':
        return options_parse_count(optarg, "--attempt", &e->attempt, err);
    default:
        return STATUS_INVALID;
    }
}

static enum status parse(struct exporting *e, int argc, char **argv, struct error *err)
{
    static const struct option long_options[] = {{"attempt", required_argument, NULL, 'a'},
                                                 {"as", required_argument, NULL, 's'},
                                                 {"recording", no_argument, NULL, 'r'},
                                                 {0}};
    enum status st = STATUS_OK;
    int id;

    optind = 1;
    while (!st && (id = command_option(argc, argv, long_options, err)) != -1)
        st = take_option(e, id, err);
    if (!st && argc - optind != 2)
        st = command_expects(&export_command, err);
    if (!st && e->as_recording && e->is_standalone)
        st = error_set(err, STATUS_INVALID, "--recording has a form of its own: leave out --as");
    if (st)
        return st;
    e->session = argv[optind];
    e->folder = argv[optind + 1];
    return STATUS_OK;
}

static enum status write_candidate(const struct exporting *e, const struct recording *recording,
                                   struct error *err)
{
    const struct session *session = &recording->session;
    const struct attempt *attempt =
        session_attempt(session, e->attempt ? e->attempt : session->now.best);
    enum status st;

    if (!attempt && e->attempt)
        return error_set(err, STATUS_NOT_FOUND, "session %s has no attempt %u: there are %zu",
                         session->id, e->attempt, session->attempts.count);
    if (!attempt)
        return error_set(err, STATUS_NOT_FOUND,
                         "session %s has kept no candidate: name one with --attempt", session->id);
    st = e->is_standalone ? export_standalone(recording, attempt, e->form, e->folder, err)
                          : export_candidate(recording, attempt, e->folder, err);
    if (!st)
        command_print("attempt %u, %s, is in %s\n", attempt->number, attempt->title, e->folder);
    return st;
}

static enum status write_recording(struct recording *recording, const char *folder,
                                   struct error *err)
{
    enum status st = recording_write(recording, folder, err);

    if (!st)
        command_print("the recording of %s is in %s\n", recording->session.id, folder);
    return st;
}

static enum status export_into(const struct exporting *e, struct error *err)
{
    struct recording recording = {0};
    enum status st;

    if (file_exists(e->folder))
        return error_set(err, STATUS_INVALID, "%s: is there already: name a new one", e->folder);
    st = recording_open(e->session, &recording, err);
    if (!st && e->as_recording)
        st = write_recording(&recording, e->folder, err);
    else if (!st)
        st = write_candidate(e, &recording, err);
    recording_release(&recording);
    return st;
}

static enum exit_code export_run(int argc, char **argv)
{
    struct exporting e = {0};
    struct error err;

    if (parse(&e, argc, argv, &err) || export_into(&e, &err))
        return command_fail(&err);
    return EXIT_CODE_IMPROVED;
}

const struct command export_command = {
    .name = "export",
    .synopsis = "SESSION DIR [--attempt N] [--recording]\n"
                "           SESSION DIR --as c [--attempt N]\n"
                "           SESSION FILE.py --as torch [--attempt N]",
    .summary = "Write the best candidate of a session as files into a new folder.",
    .details =
        "The folder gets the kernel's source, plan.json, problem.json, verdict.json,\n"
        "candidate.md for kforge eval, and a README.\n\n"
        "--attempt N  attempt N instead of the best\n"
        "--as c       a C program for CMake that needs nothing of kforge: it checks the\n"
        "             kernels and times them\n"
        "--as torch   a CUDA candidate as a Python file with the class ModelNew, in the form of\n"
        "             KernelBench, and beside it, as FILE_reference.py, what it stands for\n"
        "--recording  the whole session instead, for kforge show, kforge replay and\n"
        "             --agent recorded:DIR, on any machine and without its repository",
    .exits = "0 done, 2 usage, no such session or candidate, 5 disk",
    .run = export_run,
};
