#ifndef CORE_JUDGE_ORACLE_CHOICE_CHOICE_SEARCH_H
#define CORE_JUDGE_ORACLE_CHOICE_CHOICE_SEARCH_H

#include "core/judge/oracle/choice/choice.h"

/* Finds the elements of a node's result that rounding may choose otherwise (choice.h). */

/* Find the lists of a node's result; `spread` has the lists of its operands and its variances. */
void choices_find(struct choices *choices, const struct graph *graph, size_t node,
                  const struct oracle_spread *spread);

#endif
