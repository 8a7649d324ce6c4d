#ifndef TUI_TERM_COLOUR_H
#define TUI_TERM_COLOUR_H

#include <stdint.h>

/*
 * Colours of terminals: how many a terminal has, how different two colours look, and which colour
 * of a palette is closest to a 24-bit colour. A 24-bit colour is 0xRRGGBB.
 *
 * The palette of 256 colours is xterm's. Its first 16 are left out, because users change them;
 * where they are needed, their values in xterm are assumed.
 */

/* How many colours a terminal has. */
enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

/* The index of one of the 16 colours; -1 if there is no such name. */
int colour_of_name(const char *name);

/* The 24-bit colour of an index of the palette; at DEPTH_RGB the colour itself. */
uint32_t colour_rgb(enum depth depth, int place);

/* The contrast of two colours, 1 to 21: Web Content Accessibility Guidelines 2.2, 1.4.3. */
double colour_contrast(uint32_t a, uint32_t b);

/* The perceived distance of two colours, 0 to 1: in OKLab (B. Ottosson, 2020). */
double colour_distance(uint32_t a, uint32_t b);

/*
 * The index of the palette's colour that looks most similar to `rgb`. A colour that is not grey
 * keeps its hue, so that dark green and dark red do not both become grey.
 */
int colour_reduce(uint32_t rgb, enum depth depth);

/*
 * Like colour_reduce(), but only among colours that have at least `contrast` with `ground`; if none
 * has, the colour of the highest contrast. At DEPTH_RGB, `rgb` is made lighter or darker until it
 * has the contrast.
 */
int colour_reduce_on(uint32_t rgb, enum depth depth, uint32_t ground, double contrast);

#endif
