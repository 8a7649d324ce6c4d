#ifndef CORE_BASE_STEADINESS_H
#define CORE_BASE_STEADINESS_H

#include <stdbool.h>

/*
 * True if a measured time or ratio is too uncertain to be used: the upper end of its 95 % interval
 * is more than four times the lower end, so that the true value may be half or twice the one that
 * is shown. This happens when other programs take most of the machine's time. `low` is 0 if the
 * interval is unknown; the result is then false.
 */
bool steadiness_is_lost(double low, double high);

/* True if a gain over another candidate is larger than the noise of measurements. */
bool steadiness_is_gain(double gain);

/* The marks of an unsteady number, on the screen "0.553x?" and in texts "0.553x (unsteady)". */
#define UNSTEADY_MARK "?"
#define UNSTEADY_WORD "unsteady"

#endif
