#include "backends/containment.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* A compiler's caches and temporary files are smaller, and so is what a kernel needs of a stack. */
enum { FILE_BYTES = 64 << 20, STACK_BYTES = 256 << 20 };

static void limit(int resource, rlim_t value)
{
    const struct rlimit both = {value, value};

    (void)setrlimit((__rlimit_resource_t)resource, &both);
}

/* Linux kills the process with the highest score first (proc(5), oom_score_adj). */
static void volunteer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "1000", 4);
    close(fd);
}

/* CPU drivers keep the private memory of a whole work-group on the stack of one thread. */
static void enlarge_stacks(void)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        (void)pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

void containment_enter(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, FILE_BYTES);
    volunteer();
    enlarge_stacks();
}
