#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

/* cmocka wants these four before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
