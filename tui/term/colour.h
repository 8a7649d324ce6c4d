#ifndef TUI_TERM_COLOUR_H
#define TUI_TERM_COLOUR_H

#include <stdint.h>

/*
 * Colours of terminals: how many a terminal has, how well two can be told apart, and which one of
 * a terminal's palette shows a 24-bit colour best.  A 24-bit colour is 0xRRGGBB.
 *
 * The palette of 256 colours is xterm's without the first 16, which users change.  Of the first 16
 * the values of xterm are assumed.
 */

/* The colours that a terminal has. */
enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

/* The index of one of the 16 colours; -1 if there is no such name. */
int colour_of_name(const char *name);

/* The 24-bit colour of an index of the palette; at DEPTH_RGB the colour itself. */
uint32_t colour_rgb(enum depth depth, int place);

/* The contrast of two colours, 1 to 21: Web Content Accessibility Guidelines 2.2, 1.4.3. */
double colour_contrast(uint32_t a, uint32_t b);

/* The distance of two colours as they are seen, 0 to 1: in OKLab (B. Ottosson, 2020). */
double colour_distance(uint32_t a, uint32_t b);

/*
 * The index of the palette's colour that is nearest to `rgb` as it is seen.  A colour that is not
 * grey keeps its hue, so that dark green and dark red do not become one grey.
 */
int colour_reduce(uint32_t rgb, enum depth depth);

/*
 * As colour_reduce(), among the colours that have the contrast with `ground`; the one of highest
 * contrast if none has it.  At DEPTH_RGB, `rgb` made lighter or darker until it has the contrast.
 */
int colour_reduce_on(uint32_t rgb, enum depth depth, uint32_t ground, double contrast);

#endif
