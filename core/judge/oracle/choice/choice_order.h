#ifndef CORE_JUDGE_ORACLE_CHOICE_CHOICE_ORDER_H
#define CORE_JUDGE_ORACLE_CHOICE_CHOICE_ORDER_H

#include "core/judge/oracle/choice/choice.h"

/* Finds the places that elements in order may have (choice.h, rounding/row_order.h). */

/*
 * Make lists for the elements of an argsort's result that rounding may make other places. Returns
 * the names of the lists of all elements, which the caller frees; NULL if there is none.
 */
double *choice_order_find(struct choices *choices, const struct oracle_spread *spread);

#endif
