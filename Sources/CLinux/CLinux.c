#ifdef __linux__
#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

int clinux_poller(void) { return answer(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int poller, int operation, int descriptor, int readiness) {
    struct epoll_event event = {.events = EPOLLRDHUP, .data = {.fd = descriptor}};
    if (readiness & CLINUX_READABLE) event.events |= EPOLLIN;
    if (readiness & CLINUX_WRITABLE) event.events |= EPOLLOUT;
    return answer(epoll_ctl(poller, operation, descriptor, &event));
}

int clinux_watch(int poller, int descriptor, int readiness) {
    return control(poller, EPOLL_CTL_ADD, descriptor, readiness);
}

int clinux_rewatch(int poller, int descriptor, int readiness) {
    return control(poller, EPOLL_CTL_MOD, descriptor, readiness);
}

int clinux_unwatch(int poller, int descriptor) {
    return control(poller, EPOLL_CTL_DEL, descriptor, 0);
}

int clinux_wait(int poller, int *descriptors, int *readiness, int countMax, int milliseconds) {
    struct epoll_event events[256];
    int limit = countMax < 256 ? countMax : 256;
    int count = epoll_wait(poller, events, limit, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int place = 0; place < count; place++) {
        descriptors[place] = events[place].data.fd;
        readiness[place] = (events[place].events & EPOLLIN ? CLINUX_READABLE : 0) |
                           (events[place].events & EPOLLOUT ? CLINUX_WRITABLE : 0) |
                           (events[place].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)
                                ? CLINUX_CLOSED
                                : 0);
    }
    return count;
}

int clinux_counter(void) { return answer(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int clinux_count(int counter) {
    uint64_t one = 1;
    return write(counter, &one, sizeof one) < 0 ? -errno : 0;
}

int clinux_reset(int counter) {
    uint64_t count = 0;
    return read(counter, &count, sizeof count) < 0 ? -errno : 0;
}

// A handler is given nothing but the signal, so what it counts on stands here.
static volatile sig_atomic_t stop_counter = -1;

static void count_stop(int signal) {
    (void)signal;
    int saved = errno;
    clinux_count(stop_counter);
    errno = saved;
}

int clinux_count_stop_signals(int counter) {
    stop_counter = counter;
    struct sigaction action = {.sa_handler = count_stop, .sa_flags = SA_RESTART};
    if (sigaction(SIGTERM, &action, NULL) < 0) return -errno;
    if (sigaction(SIGINT, &action, NULL) < 0) return -errno;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

int clinux_listen(const char *address, uint16_t port, int backlog) {
    struct addrinfo hints = {
        .ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(address, NULL, &hints, &found) != 0) return -EINVAL;
    int descriptor =
        socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int result = descriptor < 0 ? -errno : 0;
    if (result == 0) {
        int on = 1;
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (found->ai_family == AF_INET6) {
            ((struct sockaddr_in6 *)found->ai_addr)->sin6_port = htons(port);
        } else {
            ((struct sockaddr_in *)found->ai_addr)->sin_port = htons(port);
        }
        if (bind(descriptor, found->ai_addr, found->ai_addrlen) < 0 ||
            listen(descriptor, backlog) < 0) {
            result = -errno;
            close(descriptor);
        }
    }
    freeaddrinfo(found);
    return result < 0 ? result : descriptor;
}

const char *clinux_reason(int error) { return strerror(error); }

int clinux_port(int listener) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(listener, (struct sockaddr *)&address, &length) < 0) return -errno;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

static void send_at_once(int descriptor) {
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int clinux_accept(int listener, int *isLocal) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int descriptor = accept4(listener, (struct sockaddr *)&address, &length,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) return -errno;
    send_at_once(descriptor);
    if (address.ss_family == AF_INET6) {
        *isLocal = IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)&address)->sin6_addr);
    } else {
        uint32_t number = ntohl(((struct sockaddr_in *)&address)->sin_addr.s_addr);
        *isLocal = number >> 24 == 127;
    }
    return descriptor;
}

int clinux_connect(const char *host, const char *port, int number) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0) return -EHOSTUNREACH;
    struct addrinfo *address = found;
    for (int place = 0; address != NULL && place < number; place++) address = address->ai_next;
    int result = -EADDRNOTAVAIL;
    if (address != NULL) {
        int descriptor =
            socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        result = descriptor < 0 ? -errno : descriptor;
        if (descriptor >= 0) {
            send_at_once(descriptor);
            if (connect(descriptor, address->ai_addr, address->ai_addrlen) < 0 &&
                errno != EINPROGRESS) {
                result = -errno;
                close(descriptor);
            }
        }
    }
    freeaddrinfo(found);
    return result;
}

int clinux_connected(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return -errno;
    return -error;
}

int clinux_await(int descriptor, int readiness, int milliseconds) {
    struct pollfd entry = {.fd = descriptor,
                           .events = (short)((readiness & CLINUX_READABLE ? POLLIN : 0) |
                                             (readiness & CLINUX_WRITABLE ? POLLOUT : 0))};
    int count = poll(&entry, 1, milliseconds);
    if (count < 0) return errno == EINTR ? CLINUX_CLOSED : -errno;
    if (count == 0) return 0;
    return (entry.revents & POLLIN ? CLINUX_READABLE : 0) |
           (entry.revents & POLLOUT ? CLINUX_WRITABLE : 0) |
           (entry.revents & (POLLHUP | POLLERR | POLLNVAL) ? CLINUX_CLOSED : 0);
}

ptrdiff_t clinux_read(int descriptor, void *bytes, size_t countMax) {
    ssize_t count = recv(descriptor, bytes, countMax, 0);
    return count < 0 ? -errno : count;
}

ptrdiff_t clinux_write(int descriptor, const void *bytes, size_t count) {
    ssize_t written = send(descriptor, bytes, count, MSG_NOSIGNAL);
    return written < 0 ? -errno : written;
}

int clinux_shut(int descriptor) { return answer(shutdown(descriptor, SHUT_RDWR)); }

int clinux_close(int descriptor) { return answer(close(descriptor)); }

int clinux_is_idle(int descriptor) {
    char byte;
    ssize_t count = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

int clinux_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 1000000 ? 1000000 : (int)limit.rlim_cur;
}

int clinux_random(void *bytes, size_t count) {
    return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -EIO;
}

static int64_t milliseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t clinux_monotonic_milliseconds(void) { return milliseconds(CLOCK_MONOTONIC); }

int64_t clinux_wall_milliseconds(void) { return milliseconds(CLOCK_REALTIME); }

#else
// Nothing of this is needed where there is no Linux.
typedef int clinux_is_empty;
#endif
