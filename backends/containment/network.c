#include "backends/containment/network.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOPBACK "lo"

static bool write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return written;
}

/* Enter a user namespace with the same user and group id (user_namespaces(7)). */
static bool enter_as_user(void)
{
    const unsigned user = geteuid(), group = getegid();
    char users[64], groups[64];

    snprintf(users, sizeof(users), "%u %u 1", user, user);
    snprintf(groups, sizeof(groups), "%u %u 1", group, group);
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && write_to("/proc/self/setgroups", "deny") &&
           write_to("/proc/self/uid_map", users) && write_to("/proc/self/gid_map", groups);
}

static bool raise_loopback(void)
{
    struct ifreq loopback = {.ifr_name = LOOPBACK};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_up = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &loopback) == 0;

    loopback.ifr_flags |= IFF_UP;
    is_up = is_up && ioctl(fd, SIOCSIFFLAGS, &loopback) == 0;
    if (fd >= 0)
        close(fd);
    return is_up;
}

static bool enter(void)
{
    return (unshare(CLONE_NEWNET) == 0 || enter_as_user()) && raise_loopback();
}

/* True if a child process can enter: a failure halfway could not be undone here. */
static bool works_for_child(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(enter() ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool network_leave(void)
{
    return network_is_left() || (works_for_child() && enter());
}

bool network_is_left(void)
{
    struct if_nameindex *devices = if_nameindex();
    bool is_left = devices != NULL;

    for (const struct if_nameindex *device = devices; device && device->if_name; device++)
        is_left = is_left && strcmp(device->if_name, LOOPBACK) == 0;
    if_freenameindex(devices);
    return is_left;
}
