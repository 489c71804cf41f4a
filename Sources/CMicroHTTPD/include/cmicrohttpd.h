// libmicrohttpd for Swift, which can call neither its variadic functions nor its macros.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;
struct MHD_Daemon;

/// One request, whole. Texts are NUL-terminated, or NULL where the header is absent; all of it is
/// valid during the call.
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
  /// As the watcher was told.
  int32_t number;
} CMHDRequest;

/// Answers with `cmhd_answer`, on the connection's own thread, where it may wait.
typedef int (*CMHDHandler)(void *context, const CMHDRequest *request);

/// What is told of connections, on several threads, none of which may wait. Each has a descriptor
/// of its own, by which it is known and which lives until `closed` is over: shutting that down ends
/// the connection.
typedef struct {
  /// Whether one that this user opened may be taken at all; -1 where the kernel does not know.
  /// Asked on the thread that accepts, before anything is made for it: where not, it is closed.
  int (*mayOpen)(void *context, int64_t user);
  /// It was accepted. `user` is that of whoever opened it, -1 where the kernel does not know.
  void (*opened)(void *context, int32_t connection, int64_t user);
  /// The headers of a request have arrived, with this secret or NULL. Gives how many bytes may follow them.
  size_t (*began)(void *context, int32_t connection, const char *session);
  /// The request that began was answered or broken off.
  void (*ended)(void *context, int32_t connection);
  void (*closed)(void *context, int32_t connection);
} CMHDWatcher;

/// Listens on an address of this machine, whose first byte is the highest. `port` 0 takes a free
/// one; the port taken is written back. NULL on failure.
struct MHD_Daemon *cmhd_start(uint32_t address, uint16_t *port, unsigned connections, unsigned idleSeconds,
                              CMHDHandler handler, CMHDWatcher watcher, void *context);

/// Whether the browser has hung up, so that nobody waits for the answer any more. During the handler only.
int cmhd_is_abandoned(struct MHD_Connection *connection);

/// Sends a whole answer, its bytes copied. `headers` are names and values in turn, ended by NULL.
int cmhd_answer(struct MHD_Connection *connection, unsigned status, const uint8_t *bytes, size_t length,
                const char *const *headers);
