#ifndef CORE_SUITE_SUITE_ABLATION_H
#define CORE_SUITE_SUITE_ABLATION_H

#include "core/suite/suite.h"

/*
 * Adds arms that lack a part, to show what the part is worth. The parts are "analyst" (without it
 * the writers choose each change themselves), "profile" (without it agents see only times and
 * bounds) and "reference".
 */

/*
 * For each arm of the suite and each part, add an arm without that part.  `names` lists the parts,
 * separated by commas.  The new arm is called "no-PART", or "ARM-no-PART" if the suite has several
 * arms. STATUS_INVALID for an unknown part, and for a part that an arm does not have; the caller
 * must release the suite then, too.
 */
enum status suite_ablate(struct suite *suite, const char *names, struct error *err) MUST_CHECK;

#endif
