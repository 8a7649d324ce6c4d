#ifndef CORE_BASE_STEADINESS_H
#define CORE_BASE_STEADINESS_H

#include <stdbool.h>

/*
 * The rule by which a measured time or ratio is not to be believed: the upper end of its 95 %
 * interval is more than four times the lower end, so that the true value may be half or twice the
 * one that is shown.  This happens where other programs take most of the machine's time.  A low end
 * of 0 means that the interval is not known.
 */
bool steadiness_is_lost(double low, double high);

/* Behind a number on the screen, and in texts: "0.553x?", "0.553x (unsteady)". */
#define UNSTEADY_MARK "?"
#define UNSTEADY_WORD "unsteady"

#endif
