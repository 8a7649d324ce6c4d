#include "tui/term/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int watched[SIGNALS_COUNT] = {SIGTERM,  SIGHUP,  SIGINT,  SIGQUIT,
                                           SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD};

/* The thread that reads the signalfd.  Global, because a signal handler has no argument. */
static pthread_t receiver;

static void send_on(int number)
{
    int kept = errno;

    pthread_kill(receiver, number);
    errno = kept;
}

static void read_signal(void *data, int fd, unsigned ready)
{
    struct signals *signals = data;
    struct signalfd_siginfo info;

    (void)ready;
    if (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        signals->call(signals->data, (int)info.ssi_signo);
}

void signals_watch(struct signals *signals, struct loop *loop, signals_fn *call, void *data)
{
    const struct sigaction action = {.sa_handler = send_on, .sa_flags = SA_RESTART};
    sigset_t set;

    *signals = (struct signals){.loop = loop, .call = call, .data = data};
    receiver = pthread_self();
    sigemptyset(&set);
    for (size_t i = 0; i < SIGNALS_COUNT; i++)
        sigaddset(&set, watched[i]);
    pthread_sigmask(SIG_BLOCK, &set, &signals->old_mask);
    for (size_t i = 0; i < SIGNALS_COUNT; i++)
        sigaction(watched[i], &action, &signals->old_actions[i]);
    signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    loop_watch(loop, signals->fd, LOOP_READ, read_signal, signals);
}

void signals_unwatch(struct signals *signals)
{
    loop_unwatch(signals->loop, signals->fd);
    close(signals->fd);
    for (size_t i = 0; i < SIGNALS_COUNT; i++)
        sigaction(watched[i], &signals->old_actions[i], NULL);
    pthread_sigmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void signals_stop(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction ours;
    sigset_t stop;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* the program stops inside this call */
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}
