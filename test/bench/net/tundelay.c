/*
 * tundelay NS_A TUN_A NS_B TUN_B ONE_WAY_MICROSECONDS [JITTER_MICROSECONDS LOST_OF_1000]
 *
 * Joins two network namespaces by a pair of TUN devices and holds every IP packet back for a fixed time in each direction, so that
 * the TCP handshake, Nagle's algorithm and delayed acknowledgements behave as on a long link. For kernels without sch_netem; a TCP
 * proxy would hide the stalls we want to measure. Jitter is added to the delay, and packets are dropped, where that is asked for; no
 * reordering, no rate limit. Prints "ready" when it forwards.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define QUEUE 65536u
#define LARGEST_PACKET 65536
#define BATCH 256
#define SECOND 1000000000ull

struct packet {
  uint64_t due;
  uint16_t length;
  unsigned char *bytes;
};

struct direction {
  int from, to;
  unsigned head, tail;
  struct packet queue[QUEUE];
};

static struct direction directions[2];
static volatile sig_atomic_t stopping;
static uint64_t jitter;
static unsigned lost_of_1000;

static void stop(int signal_number) {
  (void)signal_number;
  stopping = 1;
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void enter(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "/var/run/netns/%s", name);
  int fd = open(path, O_RDONLY);
  if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) {
    perror(name);
    exit(1);
  }
  close(fd);
}

static int open_tun(const char *name) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  snprintf(request.ifr_name, IFNAMSIZ, "%s", name);
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (fd < 0 || ioctl(fd, TUNSETIFF, &request) < 0) {
    perror("tun");
    exit(1);
  }
  return fd;
}

static void deliver(struct direction *d, uint64_t time) {
  while (d->head != d->tail) {
    struct packet *p = &d->queue[d->head % QUEUE];
    if (p->due > time) return;
    if (write(d->to, p->bytes, p->length) < 0 && errno == EAGAIN) return;
    free(p->bytes);
    d->head++;
  }
}

static void accept_packets(struct direction *d, uint64_t delay) {
  static unsigned char buffer[LARGEST_PACKET];
  for (int i = 0; i < BATCH; i++) {
    ssize_t length = read(d->from, buffer, sizeof buffer);
    if (length <= 0) return;
    if (d->tail - d->head >= QUEUE) continue;
    if (lost_of_1000 > 0 && (unsigned)(random() % 1000) < lost_of_1000) continue;
    unsigned char *bytes = malloc((size_t)length);
    if (bytes == NULL) continue;
    memcpy(bytes, buffer, (size_t)length);
    struct packet *p = &d->queue[d->tail++ % QUEUE];
    p->due = now() + delay + (jitter > 0 ? (uint64_t)random() % jitter : 0);
    p->length = (uint16_t)length;
    p->bytes = bytes;
  }
}

int main(int argc, char **argv) {
  if (argc != 6 && argc != 8) {
    fprintf(stderr, "usage: tundelay NS_A TUN_A NS_B TUN_B ONE_WAY_MICROSECONDS [JITTER_MICROSECONDS LOST_OF_1000]\n");
    return 2;
  }
  if (argc == 8) {
    jitter = strtoull(argv[6], NULL, 10) * 1000ull;
    lost_of_1000 = (unsigned)strtoul(argv[7], NULL, 10);
  }
  uint64_t delay = strtoull(argv[5], NULL, 10) * 1000ull;
  prctl(PR_SET_TIMERSLACK, 1000);
  signal(SIGTERM, stop);
  signal(SIGINT, stop);
  enter(argv[1]);
  int a = open_tun(argv[2]);
  enter(argv[3]);
  int b = open_tun(argv[4]);
  directions[0].from = directions[1].to = a;
  directions[0].to = directions[1].from = b;
  printf("ready\n");
  fflush(stdout);
  while (!stopping) {
    uint64_t time = now(), wake = time + SECOND;
    for (int k = 0; k < 2; k++) {
      struct direction *d = &directions[k];
      deliver(d, time);
      if (d->head != d->tail && d->queue[d->head % QUEUE].due < wake) wake = d->queue[d->head % QUEUE].due;
    }
    struct pollfd ready[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    time = now();
    uint64_t wait = wake > time ? wake - time : 0;
    struct timespec timeout = {(time_t)(wait / SECOND), (long)(wait % SECOND)};
    if (ppoll(ready, 2, &timeout, NULL) < 0 && errno != EINTR) break;
    for (int k = 0; k < 2; k++) accept_packets(&directions[k], delay);
  }
  return 0;
}
