#ifndef CORE_SUITE_SUITE_ABLATION_H
#define CORE_SUITE_SUITE_ABLATION_H

#include "core/suite/suite.h"

/*
 * Arms that lack a part, to see what the part is worth.  The parts are "analyst" (nobody reads
 * profiles, and the writers choose each change), "profile" (agents see times and bounds alone) and
 * "reference".
 */

/*
 * For each arm of the suite, add one without each of the parts, which `names` lists, separated by
 * commas.  It is called "no-PART", and "ARM-no-PART" if there are several arms.  STATUS_INVALID for
 * a part that is none, or that an arm does not have; the suite must be released also then.
 */
enum status suite_ablate(struct suite *suite, const char *names, struct error *err) MUST_CHECK;

#endif
