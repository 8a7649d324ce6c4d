#ifndef CORE_SESSION_DRIVER_DRIVER_OPTIONS_H
#define CORE_SESSION_DRIVER_DRIVER_OPTIONS_H

#include "core/agent/roles.h"
#include "core/session/state/gate.h"
#include "core/session/state/limits.h"
#include "core/session/state/rules.h"
#include "core/session/worker/evaluator.h"

/* The most files that can be given with --attach. */
enum { DRIVER_ATTACHMENTS = 8 };

/*
 * How a session is opened: as a new one, or resumed.  Texts and options are borrowed for
 * driver_open(); the rules must outlive the driver.
 */
struct driver_options {
    const char *problem_path; /* of a new session */
    const char *problem_text; /* contents of that file if already read; NULL: driver_open() reads */
    const char *agent;        /* the first one: "builtin" or "<provider>:<model>" */
    struct roles roles;       /* for a new session: its other agents */
    const char *repository;   /* NULL: kforge's own */
    /* the language that the agents are to write; NULL: the device's own, or as before */
    const char *language;
    const char *reference;          /* file of an implementation for another platform, or NULL */
    const char *reference_text;     /* its contents if already read; `reference` is their name */
    const char *reference_language; /* of such contents, a name in language.h; NULL: unknown */
    const char *picture; /* command that takes a picture of each correct attempt, or NULL */
    /* paths for the first analysis; NULL ends a shorter list */
    const char *attached[DRIVER_ATTACHMENTS];
    const char *id;     /* for a new session: its id, from catalog_new_id(); NULL: make one */
    const char *resume; /* id of the session to resume; NULL: a new session */
    struct evaluator_options evaluator;
    struct evaluator *earlier; /* passed to evaluator_take_worker(); borrowed, or NULL */
    struct limits limits;
    struct gate gate;          /* of a new session */
    bool changes_gate;         /* `gate` also applies to a resumed session */
    const struct rules *rules; /* rules that are applied before the gate, or NULL */
    bool is_unattended;        /* no engineer looks on: only what an agent will read is profiled */
    bool leaves_baselines;     /* end without those that PyTorch is still compiling */
};

#endif
