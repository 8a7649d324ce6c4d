#include "tui/panel.h"

const struct panel_ops *const panel_list[PANE_COUNT] = {
    [PANE_STEPS] = &panel_steps,
    [PANE_CANDIDATES] = &panel_candidates,
    [PANE_KERNEL] = &panel_kernel,
    [PANE_DIAGNOSTICS] = &panel_diagnostics,
    [PANE_CORRECTNESS] = &panel_correctness,
    [PANE_PROFILE] = &panel_profile,
    [PANE_AGENTS] = &panel_agents,
};
