#include "tui/term/graphics.h"

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/formats/base64.h"

/* The bytes of base64 in one escape sequence of kitty's protocol. */
enum { CHUNK_BYTES = 4096, ANSWER_BYTES = 512, PATIENCE_MS = 400 };

/* The assumed size of a cell in pixels, for a terminal that does not report its size. */
enum { USUAL_CELL_WIDTH = 8, USUAL_CELL_HEIGHT = 16 };

/*
 * The query of kitty's protocol, with a picture of one pixel. After it, a request for the primary
 * device attributes, which every terminal answers.
 */
static const char question[] = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c";

static unsigned read_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

bool graphics_png_size(const char *png, size_t len, unsigned *width, unsigned *height)
{
    enum { SIGNATURE = 8, WIDTH_AT = 16, HEIGHT_AT = 20, HEADER = 24 };

    if (len < HEADER || memcmp(png, "\x89PNG\r\n\x1a\n", SIGNATURE) != 0)
        return false;
    *width = read_u32(png + WIDTH_AT);
    *height = read_u32(png + HEIGHT_AT);
    return *width > 0 && *height > 0;
}

enum graphics graphics_read_answer(const char *answer)
{
    const char *attributes = strstr(answer, "\033[?");

    if (strstr(answer, "\033_Gi=31;OK"))
        return GRAPHICS_KITTY;
    for (const char *at = attributes; at && *at && *at != 'c'; at++)
        if ((*at == ';' || *at == '?') && at[1] == '4' && (at[2] == ';' || at[2] == 'c'))
            return GRAPHICS_SIXEL;
    return GRAPHICS_NONE;
}

/* True once the answer to the last question has arrived. */
static bool is_complete(const char *answer)
{
    const char *attributes = strstr(answer, "\033[?");

    return attributes && strchr(attributes, 'c');
}

static enum graphics ask(int fd)
{
    char answer[ANSWER_BYTES] = "";
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    size_t len = 0;

    if (write(fd, question, sizeof(question) - 1) < 0)
        return GRAPHICS_NONE;
    while (len < sizeof(answer) - 1 && !is_complete(answer) && poll(&polled, 1, PATIENCE_MS) > 0) {
        ssize_t got = read(fd, answer + len, sizeof(answer) - 1 - len);

        if (got <= 0)
            break;
        len += (size_t)got;
        answer[len] = '\0';
    }
    return graphics_read_answer(answer);
}

enum graphics graphics_ask(int fd)
{
    struct termios before, raw;
    enum graphics found;

    if (tcgetattr(fd, &before) != 0)
        return GRAPHICS_NONE;
    raw = before;
    cfmakeraw(&raw);
    (void)tcsetattr(fd, TCSANOW, &raw);
    found = ask(fd);
    (void)tcsetattr(fd, TCSANOW, &before);
    return found;
}

struct graphics_room graphics_room_of(int fd)
{
    struct winsize size = {0};
    struct graphics_room room = {.columns = 80, .lines = 24};

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        room.columns = size.ws_col;
        room.lines = size.ws_row;
    }
    room.width = size.ws_xpixel ? size.ws_xpixel : room.columns * USUAL_CELL_WIDTH;
    room.height = size.ws_ypixel ? size.ws_ypixel : room.lines * USUAL_CELL_HEIGHT;
    return room;
}

/* The factor, at most 1, that makes the picture fit into the room with two lines left for text. */
static double fit(unsigned width, unsigned height, const struct graphics_room *room)
{
    unsigned lines = room->lines > 3 ? room->lines - 2 : 1;
    double high = (double)room->height * lines / room->lines;
    double scale = (double)room->width / width;

    if (high / height < scale)
        scale = high / height;
    return scale < 1 ? scale : 1;
}

unsigned graphics_fitting_width(const char *png, size_t len, const struct graphics_room *room)
{
    unsigned width, height, fitting;

    if (!graphics_png_size(png, len, &width, &height))
        return room->width;
    fitting = (unsigned)(width * fit(width, height, room));
    return fitting ? fitting : 1;
}

void graphics_add_kitty(const char *png, size_t len, const struct graphics_room *room,
                        struct strbuf *out)
{
    unsigned width = 1, height = 1, columns, lines;
    struct strbuf encoded = {0};
    double scale;

    (void)graphics_png_size(png, len, &width, &height);
    scale = fit(width, height, room);
    columns = (unsigned)(width * scale * room->columns / room->width);
    lines = (unsigned)(height * scale * room->lines / room->height);
    base64_add(&encoded, png, len);
    for (size_t at = 0; at < encoded.len; at += CHUNK_BYTES) {
        size_t part = encoded.len - at < CHUNK_BYTES ? encoded.len - at : CHUNK_BYTES;

        strbuf_adds(out, "\033_G");
        if (at == 0)
            strbuf_addf(out, "a=T,f=100,q=2,c=%u,r=%u,", columns ? columns : 1, lines ? lines : 1);
        strbuf_addf(out, "m=%d;", at + part < encoded.len);
        strbuf_add(out, encoded.data + at, part);
        strbuf_adds(out, "\033\\");
    }
    strbuf_adds(out, "\n");
    strbuf_release(&encoded);
}
