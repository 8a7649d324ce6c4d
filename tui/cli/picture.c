#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/formats/base64.h"
#include "core/session/recorded/recording.h"
#include "core/system/file.h"
#include "core/system/process.h"
#include "tui/cli/command.h"
#include "tui/term/graphics.h"

/*
 * `kforge picture`: shows the picture of a profiler's window with an attempt, or a PNG. The screen
 * also starts it, and gives it the terminal.
 */

enum { PICTURE_MAX_BYTES = 16 << 20 };

struct picturing {
    const char *name; /* name of a session, or path of a file */
    unsigned attempt; /* 0: the latest with a picture */
    bool waits;
    bool is_file;
    char *path; /* path of the picture */
};

static const struct option_row own_options[] = {
    {.name = "wait",
     .help = "wait for Enter after the picture",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct picturing, waits)},
    {0},
};

static const struct option_set option_sets[] = {{own_options, 0}, {0}};

static enum status parse(struct picturing *p, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&picture_command, p, &arguments, err);

    if (!st && (arguments.count < 1 || arguments.count > 2))
        st = command_expects(&picture_command, err);
    if (st)
        return st;
    p->name = arguments.items[0];
    p->is_file = file_has_ending(p->name, ".png");
    if (arguments.count == 1)
        return STATUS_OK;
    return option_parse_count(arguments.items[1], "ATTEMPT", &p->attempt, err);
}

static const struct attempt *find_attempt(const struct session *session, unsigned number)
{
    const struct attempt *found = NULL;

    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (attempt->picture[0] && (!number || attempt->number == number))
            found = attempt;
    }
    return found;
}

/* Write the picture of the attempt to a file in the cache folder, which other programs can open. */
static enum status keep_file(struct picturing *p, const struct attempt *attempt,
                             const struct strbuf *bytes, struct error *err)
{
    char *cache = file_place_folder(FILE_CACHE), *folder = file_join(cache, "images");
    struct strbuf name = {0};
    enum status st = file_make_folder(folder, err);

    strbuf_addf(&name, "picture-%.12s.png", attempt->picture);
    p->path = file_join(folder, strbuf_cstr(&name));
    if (!st)
        st = file_write(p->path, bytes->data, bytes->len, err);
    strbuf_release(&name);
    free(folder);
    free(cache);
    return st;
}

static enum status read_recorded(struct picturing *p, struct strbuf *bytes, struct error *err)
{
    struct recording recording = {0};
    const struct attempt *attempt = NULL;
    enum status st = recording_open(p->name, &recording, err);

    if (st)
        return st;
    attempt = find_attempt(&recording.session, p->attempt);
    if (!attempt && p->attempt)
        st = error_set(err, STATUS_NOT_FOUND, "session %s: attempt %u has no picture", p->name,
                       p->attempt);
    else if (!attempt)
        st = error_set(err, STATUS_NOT_FOUND,
                       "session %s has no picture: kforge run --picture takes some", p->name);
    if (!st)
        st = recording_text(&recording, attempt->picture, bytes, err);
    if (!st)
        st = keep_file(p, attempt, bytes, err);
    recording_release(&recording);
    return st;
}

static enum status read_picture(struct picturing *p, struct strbuf *bytes, struct error *err)
{
    unsigned width, height;
    enum status st = p->is_file ? file_read(p->name, PICTURE_MAX_BYTES, bytes, err)
                                : read_recorded(p, bytes, err);

    if (!st && p->is_file)
        p->path = realpath(p->name, NULL);
    if (!st && !graphics_png_size(bytes->data, bytes->len, &width, &height))
        st = error_set(err, STATUS_INVALID, "%s: is not a PNG image: convert it to PNG", p->name);
    return st;
}

/* Run a program; true if it ended with status 0. */
static bool run_program(const char *const *argv)
{
    struct error err;
    int status = 0;
    pid_t pid;

    if (process_start_here(&pid, argv, &err))
        return false;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool show_sixel(const struct picturing *p, const struct strbuf *bytes,
                       const struct graphics_room *room)
{
    char width[16];
    const char *const argv[] = {"img2sixel", "-w", width, p->path, NULL};

    snprintf(width, sizeof(width), "%u", graphics_fitting_width(bytes->data, bytes->len, room));
    if (run_program(argv))
        return true;
    command_notice(NULL, "the terminal has sixel graphics, but the program img2sixel is missing: "
                         "install libsixel-bin");
    return false;
}

/* Open the picture in the desktop's viewer, if the terminal has no graphics. */
static void open_elsewhere(const struct picturing *p)
{
    const char *const argv[] = {"xdg-open", p->path, NULL};
    bool has_desktop = getenv("WAYLAND_DISPLAY") || getenv("DISPLAY");

    if (has_desktop && run_program(argv))
        command_print("%s is open in another window\n", p->path);
    else
        command_print("%s: this terminal has neither kitty's nor sixel graphics, and there is no "
                      "desktop to open it on\n",
                      p->path);
}

static void show(const struct picturing *p, const struct strbuf *bytes)
{
    int fd = isatty(STDOUT_FILENO) ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
    enum graphics graphics = fd >= 0 ? graphics_ask(fd) : GRAPHICS_NONE;
    struct graphics_room room = graphics_room_of(fd);
    struct strbuf out = {0};

    if (graphics == GRAPHICS_KITTY) {
        graphics_add_kitty(bytes->data, bytes->len, &room, &out);
        (void)fwrite(out.data, 1, out.len, stdout);
    } else if (graphics != GRAPHICS_SIXEL || !show_sixel(p, bytes, &room)) {
        open_elsewhere(p);
    }
    if (fd >= 0)
        close(fd);
    strbuf_release(&out);
}

static void wait_for_enter(void)
{
    fputs("\n[press Enter to return] ", stdout);
    (void)fflush(stdout);
    for (int c = 0; c != EOF && c != '\n' && c != '\r';)
        c = getchar();
}

static enum exit_code picture_run(int argc, char **argv)
{
    struct picturing p = {0};
    struct strbuf bytes = {0};
    enum exit_code code = EXIT_CODE_IMPROVED;
    struct error err;

    if (parse(&p, argc, argv, &err) || read_picture(&p, &bytes, &err))
        code = command_fail(&err);
    else
        show(&p, &bytes);
    if (p.waits)
        wait_for_enter();
    strbuf_release(&bytes);
    free(p.path);
    return code;
}

const struct command picture_command = {
    .name = "picture",
    .arguments = "SESSION|FILE.png [ATTEMPT]",
    .options = option_sets,
    .summary = "Show the picture of a profiler's window that a session took of an attempt.",
    .details = "Without ATTEMPT it is the latest attempt with one.  The terminal draws it if it "
               "has kitty's\ngraphics, or sixel graphics and img2sixel is installed (Debian's "
               "libsixel-bin).  Otherwise\nxdg-open opens the file, and its name is printed.",
    .exits = "0 done, 2 usage, no such session or picture, 5 disk",
    .run = picture_run,
};
