#include "tui/term/colour.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/array.h"

/* The values that xterm shows. */
static const struct {
    const char *name;
    uint32_t rgb;
} first16[16] = {
    {"black", 0x000000},        {"red", 0xcd0000},
    {"green", 0x00cd00},        {"yellow", 0xcdcd00},
    {"blue", 0x0000ee},         {"magenta", 0xcd00cd},
    {"cyan", 0x00cdcd},         {"white", 0xe5e5e5},
    {"bright-black", 0x7f7f7f}, {"bright-red", 0xff0000},
    {"bright-green", 0x00ff00}, {"bright-yellow", 0xffff00},
    {"bright-blue", 0x5c5cff},  {"bright-magenta", 0xff00ff},
    {"bright-cyan", 0x00ffff},  {"bright-white", 0xffffff},
};

int colour_of_name(const char *name)
{
    for (size_t i = 0; i < COUNT(first16); i++)
        if (strcmp(first16[i].name, name) == 0)
            return (int)i;
    return -1;
}

static uint32_t rgb_of_256(unsigned place)
{
    static const uint8_t levels[] = {0, 95, 135, 175, 215, 255};
    uint32_t cube = place - 16, grey = 8 + 10 * (place - 232);

    if (place < 16)
        return first16[place].rgb;
    if (place >= 232)
        return grey << 16 | grey << 8 | grey;
    return (uint32_t)levels[cube / 36] << 16 | (uint32_t)levels[cube / 6 % 6] << 8 |
           levels[cube % 6];
}

uint32_t colour_rgb(enum depth depth, int place)
{
    return depth == DEPTH_RGB ? (uint32_t)place : rgb_of_256((unsigned)place);
}

/* The linear intensity of a channel, 0 to 1, from its sRGB value (IEC 61966-2-1). */
static double linear(uint32_t rgb, int shift)
{
    double value = (double)(rgb >> shift & 0xff) / 255;

    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb)
{
    return 0.2126 * linear(rgb, 16) + 0.7152 * linear(rgb, 8) + 0.0722 * linear(rgb, 0);
}

double colour_contrast(uint32_t a, uint32_t b)
{
    double light = luminance(a), dark = luminance(b);

    return light >= dark ? (light + 0.05) / (dark + 0.05) : (dark + 0.05) / (light + 0.05);
}

/* A colour in OKLab: lightness, 0 to 1, and two axes of hue. */
struct lab {
    double lightness, a, b;
};

static struct lab lab_of(uint32_t rgb)
{
    double red = linear(rgb, 16), green = linear(rgb, 8), blue = linear(rgb, 0);
    double l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
    double m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
    double s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);

    return (struct lab){
        .lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        .a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        .b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    };
}

static double lab_distance(struct lab x, struct lab y)
{
    return sqrt((x.lightness - y.lightness) * (x.lightness - y.lightness) +
                (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b));
}

double colour_distance(uint32_t a, uint32_t b)
{
    return lab_distance(lab_of(a), lab_of(b));
}

/* Below this chroma a colour counts as grey. */
static const double GREY_CHROMA = 0.03;

/* The cosine of the angle, 30 degrees, by which a hue may change. */
static const double HUE_COSINE = 0.8660254;

/* True if `other` has the hue of `wanted`; if `wanted` is grey, every hue is right. */
static bool keeps_hue(struct lab wanted, struct lab other)
{
    double chroma = hypot(wanted.a, wanted.b), chroma_other = hypot(other.a, other.b);
    double product = wanted.a * other.a + wanted.b * other.b;

    return chroma < GREY_CHROMA ||
           (chroma_other > 0.01 && product >= HUE_COSINE * chroma * chroma_other);
}

static bool is_grey(struct lab lab)
{
    return hypot(lab.a, lab.b) < GREY_CHROMA;
}

/*
 * True for red, green, yellow and magenta. These have a meaning, so no grey may become one of them.
 */
static bool is_signal(int place)
{
    return place == 1 || place == 2 || place == 3 || place == 5;
}

/* The purpose for which a colour of the palette is chosen. */
struct wish {
    struct lab lab;
    bool keeps_hue;
    uint32_t ground;
    double contrast; /* 1: any */
};

/* The index of the nearest colour that fulfils the wish; -1 if none does. */
static int nearest(const struct wish *wish, enum depth depth)
{
    int end = depth == DEPTH_8 ? 8 : depth == DEPTH_16 ? 16 : 256, best = -1;
    double least = INFINITY;

    for (int place = depth == DEPTH_256 ? 16 : 0; place < end; place++) {
        struct lab lab = lab_of(colour_rgb(depth, place));
        double distance = lab_distance(wish->lab, lab);

        if (distance >= least || (depth == DEPTH_8 && is_grey(wish->lab) && is_signal(place)) ||
            (wish->keeps_hue && !keeps_hue(wish->lab, lab)) ||
            colour_contrast(colour_rgb(depth, place), wish->ground) < wish->contrast)
            continue;
        least = distance;
        best = place;
    }
    return best;
}

/* White or black, whichever has more contrast. */
static uint32_t most_different(uint32_t ground)
{
    return colour_contrast(0xffffff, ground) > colour_contrast(0, ground) ? 0xffffff : 0;
}

/* Mix a colour with white or black until it has the contrast. */
static uint32_t shift_lightness(uint32_t rgb, uint32_t ground, double contrast)
{
    enum { STEPS = 64 };
    uint32_t far = most_different(ground), mixed = rgb;

    for (unsigned step = 1; step <= STEPS && colour_contrast(mixed, ground) < contrast; step++) {
        mixed = 0;
        for (int shift = 0; shift < 24; shift += 8) {
            uint32_t own = rgb >> shift & 0xff, end = far >> shift & 0xff;

            mixed |= (own * (STEPS - step) + end * step) / STEPS << shift;
        }
    }
    return mixed;
}

/* The nearest colour that fulfils the wish, with its hue if one does; -1 if none does. */
static int nearest_with_hue(struct wish wish, enum depth depth)
{
    int place;

    wish.keeps_hue = true;
    place = nearest(&wish, depth);
    wish.keeps_hue = false;
    return place < 0 ? nearest(&wish, depth) : place;
}

int colour_reduce(uint32_t rgb, enum depth depth)
{
    if (depth == DEPTH_RGB)
        return (int)rgb;
    return nearest_with_hue((struct wish){.lab = lab_of(rgb), .contrast = 1}, depth);
}

int colour_reduce_on(uint32_t rgb, enum depth depth, uint32_t ground, double contrast)
{
    const struct wish wish = {.lab = lab_of(rgb), .ground = ground, .contrast = contrast};
    int place;

    if (depth == DEPTH_RGB)
        return (int)shift_lightness(rgb, ground, contrast);
    place = nearest_with_hue(wish, depth);
    return place < 0 ? colour_reduce(most_different(ground), depth) : place;
}
