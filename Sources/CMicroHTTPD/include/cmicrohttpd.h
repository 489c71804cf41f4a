// libmicrohttpd for Swift, which can call neither its variadic functions nor its macros.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct MHD_Daemon;

/// One complete request. Texts are NUL-terminated, or NULL for an absent header. Valid only during
/// the call.
typedef struct {
  const char *method;
  const char *path;
  const char *host;
  const char *origin;
  const char *fetchSite;
  const char *fetchMode;
  const char *fetchDestination;
  const char *contentType;
  const char *session;
  const char *range;
  const uint8_t *body;
  size_t length;
  struct MHD_Connection *connection;
  /// The connection's number, as in the watcher's calls.
  int32_t number;
} CMHDRequest;

/// Answers a request with `cmhd_answer`. Runs on the connection's own thread and may block.
typedef int (*CMHDHandler)(void *context, const CMHDRequest *request);

/// Callbacks about connections, on several threads; none may block. Each connection is known by a
/// descriptor of its own, valid until `closed` returns. Shutting that down ends the connection.
typedef struct {
  /// Whether to accept a connection of this user, -1 if the kernel does not know it. Called on the
  /// accepting thread before anything is allocated; a refused connection is closed.
  int (*mayOpen)(void *context, int64_t user);
  /// A connection was accepted. `user` is the peer's, -1 if the kernel does not know it.
  void (*opened)(void *context, int32_t connection, int64_t user);
  /// The headers of a request have arrived, with this secret or NULL. Returns the greatest size of
  /// the body in bytes.
  size_t (*began)(void *context, int32_t connection, const char *session);
  /// The request was answered or aborted.
  void (*ended)(void *context, int32_t connection);
  void (*closed)(void *context, int32_t connection);
} CMHDWatcher;

/// Listens on an address of this machine in host byte order. `port` 0 takes a free one; the port in
/// use is written back. NULL on failure.
struct MHD_Daemon *cmhd_start(uint32_t address, uint16_t *port, unsigned connections, unsigned idleSeconds,
                              CMHDHandler handler, CMHDWatcher watcher, void *context);

/// Whether the browser has disconnected; only during the handler.
int cmhd_is_abandoned(struct MHD_Connection *connection);

/// Sends a complete answer and copies its bytes. `headers` alternates names and values and ends
/// with NULL.
int cmhd_answer(struct MHD_Connection *connection, unsigned status, const uint8_t *bytes, size_t length,
                const char *const *headers);
