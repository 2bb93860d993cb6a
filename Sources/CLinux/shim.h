#pragma once
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// What Swift's own Glibc module lacks: enum macros as integers, variadic calls, control messages.
enum {
  clinux_eventfd_flags = EFD_NONBLOCK | EFD_CLOEXEC,
  clinux_signalfd_flags = SFD_NONBLOCK | SFD_CLOEXEC,
  clinux_packet_socket = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
  clinux_send_flags = MSG_DONTWAIT | MSG_NOSIGNAL,
};
static inline char **clinux_environment(void) {
  extern char **environ;
  return environ;
}
static inline int clinux_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
static inline int clinux_name_this_thread(const char *name) { return prctl(PR_SET_NAME, name); }
static inline int clinux_clock_is_synchronised(void) {
  struct timex state = {0};
  return adjtimex(&state) != TIME_ERROR;
}

// One datagram with the kernel's arrival stamp (0 when it carries none). The control-message macros
// walk a buffer that only C can lay out.
static inline ssize_t clinux_receive_stamped(
    int descriptor, void *bytes, size_t capacity, int *flags, int64_t *realtime_nanoseconds) {
  char control[CMSG_SPACE(sizeof(struct timespec))] __attribute__((aligned(8)));
  struct iovec part = {bytes, capacity};
  struct msghdr header = {0};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t count = recvmsg(descriptor, &header, MSG_DONTWAIT);
  *realtime_nanoseconds = 0;
  *flags = header.msg_flags;
  if (count < 0) return -errno;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec stamp;
      memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
      *realtime_nanoseconds = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
    }
  }
  return count;
}
