// What Swift's Glibc module does not show of Linux: epoll, event counters and the flags of new
// sockets. Everything here answers at least 0, or an error number below it.
#ifndef CLINUX_H
#define CLINUX_H

#ifdef __linux__

#include <stddef.h>
#include <stdint.h>

/// What a watched descriptor is ready for.
enum {
    CLINUX_READABLE = 1,
    CLINUX_WRITABLE = 2,
    /// The other side is gone.
    CLINUX_CLOSED = 4,
};

int clinux_poller(void);
int clinux_watch(int poller, int descriptor, int readiness);
int clinux_rewatch(int poller, int descriptor, int readiness);
int clinux_unwatch(int poller, int descriptor);
int clinux_wait(int poller, int *descriptors, int *readiness, int countMax, int milliseconds);

/// A counter that a poller can wait for.
int clinux_counter(void);
int clinux_count(int counter);
int clinux_reset(int counter);

/// Lets SIGTERM and SIGINT count, and SIGPIPE be nothing.
int clinux_count_stop_signals(int counter);

/// What the system says of an error's number.
const char *clinux_reason(int error);

/// Listens on a numeric address; port 0 chooses a free one.
int clinux_listen(const char *address, uint16_t port, int backlog);
int clinux_port(int listener);
/// A new connection, not blocking, and whether it comes from this machine.
int clinux_accept(int listener, int *isLocal);

/// Begins to connect to a host, without waiting; the address is the number-th that it has.
int clinux_connect(const char *host, const char *port, int number);
/// Whether a connection that was begun stands.
int clinux_connected(int descriptor);
/// Waits until one descriptor is ready; 0 when the time is over.
int clinux_await(int descriptor, int readiness, int milliseconds);

ptrdiff_t clinux_read(int descriptor, void *bytes, size_t countMax);
ptrdiff_t clinux_write(int descriptor, const void *bytes, size_t count);
/// Ends both directions, so that whoever waits for the descriptor is woken.
int clinux_shut(int descriptor);
int clinux_close(int descriptor);
/// True if nothing was received since, and the other side is still there.
int clinux_is_idle(int descriptor);
/// Takes as many descriptors as the process may have; answers how many that are.
int clinux_raise_descriptor_limit(void);
/// Fills bytes with random ones of the system.
int clinux_random(void *bytes, size_t count);
int64_t clinux_monotonic_milliseconds(void);
int64_t clinux_wall_milliseconds(void);

#endif
#endif
