// Alternates calls to the broker and to a floor, in one process on one core, and prints medians.
//
// client calls BROKER FLOOR ROUNDS REQUEST BYTES < TOKENS
//     floor: a frame of 200 bytes; BYTES 0: echoed, -1: answered with as many bytes as the
//     broker's reply, else with BYTES bytes
// client bytes BROKER FILE ROUNDS REQUEST < TOKENS
//     floor: open, read and close of the file itself
// client http PORT PATH ROUNDS
//     a GET from a local web server on a kept-alive connection
// client many BROKER CLIENTS SECONDS REQUEST < TOKENS
//     CLIENTS processes at a time; prints the total of replies
// client pair SOCKET ROUNDS FIRST SECOND
//     alternates two calls and times the first
// client steady BROKER FLOOR REQUEST BYTES < TOKENS
//     one call per millisecond until descriptor 3 ends; output as of `calls`
// client hold BROKER CONNECTIONS REQUEST < TOKENS
//     calls on each connection in order until descriptor 3 ends
// client watch BROKER REQUEST < TOKENS
//     calls until descriptor 3 ends; prints when a refusal followed an answer, in nanoseconds
//     on the monotonic clock
//
// TOKENS: one Attach call per line. Output: median and 99th percentile in nanoseconds of broker and
// floor, and the bytes of a reply.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 8 << 20, MAX_SAMPLES = 1 << 20 };
static char reply[CAPACITY], first[CAPACITY], second[CAPACITY];
static long broker_times[MAX_SAMPLES], floor_times[MAX_SAMPLES];

static void fail(const char *what) {
  fprintf(stderr, "client: %s: %s\n", what, errno ? strerror(errno) : "no reason known");
  exit(1);
}

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) fail("the path is too long");
  strcpy(address.sun_path, path);
  int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (peer < 0 || connect(peer, (struct sockaddr *)&address, sizeof address)) fail(path);
  return peer;
}

// Sends one frame and receives one. Returns its length with the NUL; a received descriptor goes
// into `passed`.
static size_t call(int peer, const char *frame, size_t length, int *passed) {
  if (send(peer, frame, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
  size_t count = 0;
  do {
    ssize_t got;
    if (passed && count == 0) {
      char control[CMSG_SPACE(sizeof(int))];
      struct iovec piece = {reply, sizeof reply};
      struct msghdr message = {
          .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
      got = recvmsg(peer, &message, MSG_CMSG_CLOEXEC);
      struct cmsghdr *header = CMSG_FIRSTHDR(&message);
      if (got > 0 && header && header->cmsg_type == SCM_RIGHTS) memcpy(passed, CMSG_DATA(header), sizeof(int));
    } else {
      got = recv(peer, reply + count, sizeof reply - count, 0);
    }
    if (got <= 0) fail("the connection was closed");
    count += (size_t)got;
  } while (reply[count - 1] != 0);
  return count;
}

static size_t read_all(int file, char *into) {
  size_t count = 0;
  for (;;) {
    ssize_t got = pread(file, into + count, CAPACITY - count, (off_t)count);
    if (got < 0) fail("read");
    if (got == 0) return count;
    count += (size_t)got;
  }
}

static int by_size(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, long *times, long count) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("%s %ld %ld\n", name, times[count / 2], times[count * 99 / 100]);
}

static int attached(const char *path) {
  int peer = connect_to(path);
  char line[16384];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    call(peer, line, strlen(line) + 1, NULL);
    if (strstr(reply, "\"error\"")) {
      fprintf(stderr, "client: a token was refused: %s\n", reply);
      exit(1);
    }
  }
  return peer;
}

static void check_answer(void) {
  if (!strstr(reply, "\"error\"")) return;
  fprintf(stderr, "client: the broker refused: %.300s\n", reply);
  exit(1);
}

static void calls(char **arguments) {
  int broker = attached(arguments[2]), floor = connect_to(arguments[3]);
  long rounds = atol(arguments[4]), back = atol(arguments[6]), samples = 0;
  const char *request = arguments[5];
  size_t length = strlen(request) + 1, answer = call(broker, request, length, NULL);
  check_answer();
  if (back < 0) back = (long)answer;
  char frame[200];
  memset(frame, 'x', sizeof frame);
  frame[sizeof frame - 1] = 0;
  if (back > 0) {
    memset(frame, ' ', sizeof frame - 1);
    int digits = snprintf(frame, sizeof frame, "%ld", back);
    frame[digits] = ' ';
  }
  enum { BATCH = 20 };
  for (long round = 0; round < rounds && samples + BATCH <= MAX_SAMPLES; round++) {
    for (int i = 0; i < BATCH; i++) {
      long start = now();
      answer = call(broker, request, length, NULL);
      broker_times[samples + i] = now() - start;
    }
    check_answer();
    for (int i = 0; i < BATCH; i++) {
      long start = now();
      call(floor, frame, sizeof frame, NULL);
      floor_times[samples + i] = now() - start;
    }
    samples += BATCH;
  }
  print("broker", broker_times, samples);
  print("floor", floor_times, samples);
  printf("bytes %zu\n", answer);
}

static void bytes(char **arguments) {
  int broker = attached(arguments[2]);
  long rounds = atol(arguments[4]);
  const char *request = arguments[5];
  size_t length = strlen(request) + 1, count = 0, direct = 0;
  for (long round = -3; round < rounds && round < MAX_SAMPLES; round++) {
    int passed = -1;
    long start = now();
    call(broker, request, length, &passed);
    if (passed < 0) check_answer(), fail("no descriptor came");
    count = read_all(passed, first);
    close(passed);
    long middle = now();
    int file = open(arguments[3], O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(arguments[3]);
    direct = read_all(file, second);
    close(file);
    long end = now();
    if (round < 0) continue;
    broker_times[round] = middle - start;
    floor_times[round] = end - middle;
  }
  if (count != direct || memcmp(first, second, count)) {
    fprintf(stderr, "client: the broker's bytes are not the file's\n");
    exit(1);
  }
  print("broker", broker_times, rounds);
  print("floor", floor_times, rounds);
  printf("bytes %zu\n", count);
}

static void http(char **arguments) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[2]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address)) fail("connecting to the web server");
  int on = 1;
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  char request[4096];
  int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", arguments[3]);
  long rounds = atol(arguments[4]);
  size_t body = 0;
  for (long round = -3; round < rounds && round < MAX_SAMPLES; round++) {
    long start = now();
    if (send(server, request, (size_t)length, MSG_NOSIGNAL) != length) fail("send");
    size_t filled = 0, head = 0;
    body = 0;
    while (head == 0 || filled < head + body) {
      ssize_t got = recv(server, first + filled, sizeof first - filled - 1, 0);
      if (got <= 0) fail("the web server closed the connection");
      filled += (size_t)got;
      if (head > 0) continue;
      first[filled] = 0;
      char *end = strstr(first, "\r\n\r\n");
      if (!end) continue;
      head = (size_t)(end - first) + 4;
      char *size = strstr(first, "Content-Length: ");
      if (strncmp(first, "HTTP/1.1 200", 12) || !size) fail("the web server's answer");
      body = (size_t)atol(size + 16);
    }
    if (round >= 0) broker_times[round] = now() - start;
  }
  print("peer", broker_times, rounds);
  printf("bytes %zu\n", body);
}

static void pair(char **arguments) {
  int broker = connect_to(arguments[2]);
  long rounds = atol(arguments[3]);
  for (long round = -1; round < rounds && round < MAX_SAMPLES; round++) {
    long start = now();
    call(broker, arguments[4], strlen(arguments[4]) + 1, NULL);
    if (round >= 0) broker_times[round] = now() - start;
    check_answer();
    call(broker, arguments[5], strlen(arguments[5]) + 1, NULL);
    check_answer();
  }
  print("broker", broker_times, rounds);
}

static void many(char **arguments) {
  int clients = atoi(arguments[3]), counts[2];
  long end = 0, sum = 0, seconds = atol(arguments[4]);
  char tokens[65536];
  size_t size = fread(tokens, 1, sizeof tokens, stdin);
  if (pipe(counts)) fail("pipe");
  end = now() + seconds * 1000000000L;
  for (int i = 0; i < clients; i++) {
    if (fork() > 0) continue;
    stdin = fmemopen(tokens, size, "r");
    int broker = attached(arguments[2]);
    long done = 0;
    for (; now() < end; done++) call(broker, arguments[5], strlen(arguments[5]) + 1, NULL);
    check_answer();
    if (write(counts[1], &done, sizeof done) != sizeof done) fail("write");
    exit(0);
  }
  for (int i = 0; i < clients; i++) {
    long done;
    if (read(counts[0], &done, sizeof done) != sizeof done) fail("a client ended early");
    sum += done;
  }
  while (wait(NULL) > 0) continue;
  printf("replies %ld\n", sum);
}

static void steady(char **arguments) {
  int broker = attached(arguments[2]), floor = connect_to(arguments[3]);
  size_t length = strlen(arguments[4]) + 1, answer = call(broker, arguments[4], length, NULL);
  check_answer();
  long back = atol(arguments[5]), samples = 0;
  if (back < 0) back = (long)answer;
  char frame[200];
  memset(frame, ' ', sizeof frame - 1);
  frame[sizeof frame - 1] = 0;
  frame[snprintf(frame, sizeof frame, "%ld", back)] = ' ';
  printf("ready\n");
  fflush(stdout);
  struct pollfd end = {.fd = 3, .events = POLLIN};
  while (samples < MAX_SAMPLES && poll(&end, 1, 1) == 0) {
    long start = now();
    answer = call(broker, arguments[4], length, NULL);
    long middle = now();
    check_answer();
    call(floor, frame, sizeof frame, NULL);
    broker_times[samples] = middle - start;
    floor_times[samples++] = now() - middle;
  }
  print("broker", broker_times, samples);
  print("floor", floor_times, samples);
  printf("slowest %ld %ld\nsamples %ld\n", broker_times[samples - 1], floor_times[samples - 1], samples);
}

static void hold(char **arguments) {
  int wanted = atoi(arguments[3]), *peers = calloc((size_t)wanted, sizeof *peers);
  char tokens[65536], line[8];
  size_t size = fread(tokens, 1, sizeof tokens, stdin);
  size_t length = strlen(arguments[4]) + 1;
  for (int i = 0; i < wanted; i++) {
    stdin = fmemopen(tokens, size, "r");
    peers[i] = attached(arguments[2]);
    fclose(stdin);
  }
  printf("ready\n");
  fflush(stdout);
  // The caller ends this by closing descriptor 3.
  for (int i = 0;; i = (i + 1) % wanted) {
    struct pollfd end = {.fd = 3, .events = POLLIN};
    if (i % 16 == 0 && poll(&end, 1, 0) > 0 && read(3, line, sizeof line) <= 0) return;
    call(peers[i], arguments[4], length, NULL);
  }
}

static void watch(char **arguments) {
  int broker = attached(arguments[2]), was_refused = 0;
  size_t length = strlen(arguments[3]) + 1;
  printf("ready\n");
  fflush(stdout);
  struct pollfd end = {.fd = 3, .events = POLLIN};
  while (poll(&end, 1, 0) == 0) {
    call(broker, arguments[3], length, NULL);
    int is_refused = strstr(reply, "\"error\"") != NULL;
    if (is_refused && !was_refused) printf("refused %ld\n", now());
    was_refused = is_refused;
  }
}

int main(int count, char **arguments) {
  if (count == 7 && !strcmp(arguments[1], "calls")) calls(arguments);
  else if (count == 6 && !strcmp(arguments[1], "bytes")) bytes(arguments);
  else if (count == 5 && !strcmp(arguments[1], "http")) http(arguments);
  else if (count == 6 && !strcmp(arguments[1], "pair")) pair(arguments);
  else if (count == 6 && !strcmp(arguments[1], "many")) many(arguments);
  else if (count == 6 && !strcmp(arguments[1], "steady")) steady(arguments);
  else if (count == 5 && !strcmp(arguments[1], "hold")) hold(arguments);
  else if (count == 4 && !strcmp(arguments[1], "watch")) watch(arguments);
  else return fprintf(stderr, "usage: see the head of client.c\n"), 64;
  return 0;
}
