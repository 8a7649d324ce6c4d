#include "backends/host/host_calls.h"

#include "backends/host/watch.h"
#include "core/base/mem.h"

/*
 * A thread of a library (sycl_runtime.h) may begin a region while thread 0 waits for it. So this is
 * not of thread 0 alone.
 */
static struct team *calling;
static unsigned widest; /* of the regions since the call began */

void host_calls_begin(struct team *team)
{
    calling = team;
    widest = 0;
}

unsigned host_calls_widest(void)
{
    return widest;
}

static void share(team_fn *work, void *data, unsigned threads)
{
    if (calling && threads > widest)
        widest = threads;
    if (calling)
        team_share(calling, work, data, threads);
}

struct host_calls *host_calls_new(unsigned limit)
{
    struct host_calls *calls = mem_alloc_zeroed(1, sizeof(*calls));

    *calls = (struct host_calls){.share = share,
                                 .number = team_number,
                                 .await = team_await,
                                 .wake = team_wake,
                                 .limit = limit,
                                 .meet = watch_meet};
    return calls;
}
