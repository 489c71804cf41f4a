#define _GNU_SOURCE

#include "cmicrohttpd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
  CMHDHandler handler;
  CMHDWatcher watcher;
  void *context;
  uint32_t address;
  /// Set once the server listens.
  _Atomic uint16_t port;
} Server;

/// A request whose body is still arriving.
typedef struct {
  uint8_t *body;
  size_t length;
  size_t limit;
  int tooLong;
} Arriving;

/// The connection's number; -1 if there was no descriptor for it.
static int32_t number(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? -1 : (int32_t)(intptr_t)info->socket_context - 1;
}

typedef struct {
  const char *name;
  const char *value;
  int count;
} Sought;

static enum MHD_Result find(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  Sought *sought = context;
  (void)kind;
  if (strcasecmp(name, sought->name) != 0) return MHD_YES;
  sought->value = value;
  sought->count += 1;
  return MHD_YES;
}

/// NULL if the header is absent. Empty, which matches nothing, if it is repeated: the intended one
/// is unknown.
static const char *header(struct MHD_Connection *connection, const char *name) {
  Sought sought = {.name = name};
  MHD_get_connection_values(connection, MHD_HEADER_KIND, find, &sought);
  return sought.count > 1 ? "" : sought.value;
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
    arriving->limit =
        server->watcher.began(server->context, number(connection), header(connection, "X-PhotoBroker-Session"));
    return MHD_YES;
  }
  if (*size > 0) {
    // A body over the limit is read and dropped: libmicrohttpd lets a request be answered only
    // before or after its body.
    if (arriving->tooLong || *size > arriving->limit - arriving->length) {
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
    static const char *const headers[] = {"Cache-Control", "no-store", "Content-Type", "application/json", "Connection",
                                          "close",         NULL};
    static const char text[] =
        "{\"error\":\"TooLong\",\"parameters\":{\"message\":\"The request is too long. Split it into several.\"}}";
    return cmhd_answer(connection, 413, (const uint8_t *)text, sizeof text - 1, headers) ? MHD_YES : MHD_NO;
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
      .number = number(connection),
  };
  return server->handler(server->context, &request) ? MHD_YES : MHD_NO;
}

static void completed(void *context, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code) {
  const Server *server = context;
  (void)code;
  Arriving *arriving = *state;
  if (arriving == NULL) return;
  server->watcher.ended(server->context, number(connection));
  free(arriving->body);
  free(arriving);
  *state = NULL;
}

/// The user at the other end of a loopback connection. The kernel tells this to anybody, for any
/// socket of this machine. The query is for one socket (sock_diag(7)): strangers could keep this
/// program busy with searches through all.
static int64_t userBetween(const struct sockaddr_in *here, const struct sockaddr_in *there) {
  const int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return -1;
  const struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
  } request = {
      .header = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
      .body = {.sdiag_family = AF_INET,
               .sdiag_protocol = IPPROTO_TCP,
               .idiag_states = ~0u,
               .id = {.idiag_sport = there->sin_port,
                      .idiag_dport = here->sin_port,
                      .idiag_src = {there->sin_addr.s_addr},
                      .idiag_dst = {here->sin_addr.s_addr},
                      .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
  };
  union {
    struct nlmsghdr header;
    char bytes[1024];
  } answer;
  int64_t user = -1;
  // The kernel answers while the query is sent.
  const ssize_t sent = send(netlink, &request, sizeof request, 0);
  const ssize_t length = sent < 0 ? -1 : recv(netlink, &answer, sizeof answer, MSG_DONTWAIT);
  if (length >= (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) &&
      answer.header.nlmsg_type == SOCK_DIAG_BY_FAMILY) {
    user = ((const struct inet_diag_msg *)NLMSG_DATA(&answer.header))->idiag_uid;
  }
  close(netlink);
  return user;
}

static int64_t peerUser(int descriptor) {
  struct sockaddr_in here, there;
  socklen_t hereLength = sizeof here, thereLength = sizeof there;
  if (getsockname(descriptor, (struct sockaddr *)&here, &hereLength) != 0) return -1;
  if (getpeername(descriptor, (struct sockaddr *)&there, &thereLength) != 0) return -1;
  return userBetween(&here, &there);
}

/// Runs before a connection gets a thread. Otherwise a peer that opens thousands per second would
/// keep this program busy with new threads, and delay all others.
static enum MHD_Result admit(void *context, const struct sockaddr *from, socklen_t length) {
  Server *server = context;
  if (from->sa_family != AF_INET || length < sizeof(struct sockaddr_in)) return MHD_NO;
  const struct sockaddr_in here = {
      .sin_family = AF_INET, .sin_port = htons(server->port), .sin_addr = {htonl(server->address)}};
  return server->watcher.mayOpen(server->context, userBetween(&here, (const struct sockaddr_in *)from)) ? MHD_YES
                                                                                                        : MHD_NO;
}

static void noticed(void *context, struct MHD_Connection *connection, void **state,
                    enum MHD_ConnectionNotificationCode code) {
  const Server *server = context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info == NULL) return;
    // A duplicate, because libmicrohttpd closes its own descriptor at any time, and the number
    // could become another connection's.
    const int own = fcntl(info->connect_fd, F_DUPFD_CLOEXEC, 0);
    *state = (void *)(intptr_t)(own + 1);
    if (own < 0) shutdown(info->connect_fd, SHUT_RDWR);
    else server->watcher.opened(server->context, own, peerUser(own));
  } else if (*state != NULL) {
    const int own = (int)(intptr_t)*state - 1;
    server->watcher.closed(server->context, own);
    close(own);
  }
}

struct MHD_Daemon *cmhd_start(uint32_t address, uint16_t *port, unsigned connections, unsigned idleSeconds,
                              CMHDHandler handler, CMHDWatcher watcher, void *context) {
  Server *server = malloc(sizeof *server);
  if (server == NULL) return NULL;
  *server = (Server){handler, watcher, context, address, *port};
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(*port), .sin_addr = {htonl(address)}};
  // One thread per connection, so that handlers may block.
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, *port, admit, server, handle, server,
      MHD_OPTION_SOCK_ADDR, &here, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, idleSeconds,
      MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_NOTIFY_CONNECTION, noticed, server, MHD_OPTION_END);
  if (daemon == NULL) {
    free(server);
    return NULL;
  }
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  if (info != NULL && info->port != 0) *port = info->port;
  server->port = *port;
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
