#ifndef TUI_PANELS_CANDIDATE_QUESTIONS_H
#define TUI_PANELS_CANDIDATE_QUESTIONS_H

#include "tui/panels/view_model.h"

/*
 * The engineer's questions about the attempt in view: a listing, a run under a sanitizer, a
 * profile. A worker answers (candidate_query.h); if it cannot be asked, the reason becomes the
 * trouble of the view model's query.
 */
void candidate_questions_list(struct view_model *view_model, enum listing_form form);
void candidate_questions_sanitize(struct view_model *view_model, const char *tool);
void candidate_questions_profile(struct view_model *view_model);

#endif
