#define _GNU_SOURCE

#include "cmicrohttpd.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct {
  CMHDHandler handler;
  void *context;
  size_t bodyLimit;
} Server;

/// A request whose body is still arriving.
typedef struct {
  uint8_t *body;
  size_t length;
  int tooLong;
} Arriving;

static const char *header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **state) {
  const Server *server = context;
  (void)version;
  Arriving *arriving = *state;
  if (arriving == NULL) {
    arriving = calloc(1, sizeof *arriving);
    if (arriving == NULL) return MHD_NO;
    *state = arriving;
    return MHD_YES;
  }
  if (*size > 0) {
    // What is too long is read and dropped: libmicrohttpd lets a request be answered only before or after its body.
    if (arriving->tooLong || *size > server->bodyLimit - arriving->length) {
      arriving->tooLong = 1;
    } else {
      uint8_t *grown = realloc(arriving->body, arriving->length + *size);
      if (grown == NULL) return MHD_NO;
      memcpy(grown + arriving->length, data, *size);
      arriving->body = grown;
      arriving->length += *size;
    }
    *size = 0;
    return MHD_YES;
  }
  if (arriving->tooLong) {
    static const char *const none[] = {"Cache-Control", "no-store", NULL};
    return cmhd_answer(connection, 413, NULL, 0, none) ? MHD_YES : MHD_NO;
  }
  const CMHDRequest request = {
      .method = method,
      .path = url,
      .host = header(connection, "Host"),
      .origin = header(connection, "Origin"),
      .fetchSite = header(connection, "Sec-Fetch-Site"),
      .fetchMode = header(connection, "Sec-Fetch-Mode"),
      .fetchDestination = header(connection, "Sec-Fetch-Dest"),
      .contentType = header(connection, "Content-Type"),
      .session = header(connection, "X-PhotoBroker-Session"),
      .range = header(connection, "Range"),
      .body = arriving->body,
      .length = arriving->length,
      .connection = connection,
  };
  return server->handler(server->context, &request) ? MHD_YES : MHD_NO;
}

static void completed(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
  (void)context, (void)connection, (void)code;
  Arriving *arriving = *state;
  if (arriving == NULL) return;
  free(arriving->body);
  free(arriving);
  *state = NULL;
}

struct MHD_Daemon *cmhd_start(uint16_t *port, unsigned connections, unsigned idleSeconds, size_t bodyLimit, CMHDHandler handler,
                              void *context) {
  Server *server = malloc(sizeof *server);
  if (server == NULL) return NULL;
  *server = (Server){handler, context, bodyLimit};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  // A thread for each connection, so that a handler may wait for the broker or for a change.
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, *port, NULL, NULL, handle, server,
      MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, idleSeconds,
      MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
  if (daemon == NULL) {
    free(server);
    return NULL;
  }
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  if (info != NULL && info->port != 0) *port = info->port;
  return daemon;
}

int cmhd_is_abandoned(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info == NULL) return 0;
  struct pollfd poller = {.fd = info->connect_fd, .events = POLLRDHUP};
  return poll(&poller, 1, 0) > 0 && (poller.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

int cmhd_answer(struct MHD_Connection *connection, unsigned status, const uint8_t *bytes, size_t length,
                const char *const *headers) {
  struct MHD_Response *response = MHD_create_response_from_buffer(length, (void *)bytes, MHD_RESPMEM_MUST_COPY);
  if (response == NULL) return 0;
  for (; headers[0] != NULL; headers += 2) MHD_add_response_header(response, headers[0], headers[1]);
  const enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result == MHD_YES;
}
