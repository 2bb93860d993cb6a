#pragma once
// Do not include <fcntl.h> here. It contains 'struct stat', which Glibc's module also contains. Swift attributes the
// structure to the module that it loads first, which depends on the files that it compiles, so an incremental build may
// fail. Callers therefore pass the flags of 'open' as arguments.
#include <errno.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <net/if.h>
#include <signal.h>
#include <spawn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

// Declarations that Swift's Glibc module lacks: enum macros, variadic functions, control messages.
enum {
  clinux_eventfd_flags = EFD_NONBLOCK | EFD_CLOEXEC,
  clinux_signalfd_flags = SFD_NONBLOCK | SFD_CLOEXEC,
  clinux_from_kernel = SI_KERNEL,
  clinux_packet_socket = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
  clinux_stream = SOCK_STREAM,
  clinux_stream_socket = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
  clinux_send_flags = MSG_DONTWAIT | MSG_NOSIGNAL,
  clinux_waiting_send_flags = MSG_NOSIGNAL,
};
// An epoll event contains a packed union, which Swift cannot lay out.
static inline int clinux_epoll_make(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int clinux_epoll_add(int list, int descriptor, uint64_t name) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = name};
  return epoll_ctl(list, EPOLL_CTL_ADD, descriptor, &event);
}
static inline int clinux_epoll_remove(int list, int descriptor) {
  return epoll_ctl(list, EPOLL_CTL_DEL, descriptor, NULL);
}
static inline int clinux_epoll_wait(int list, uint64_t *names, int most, int milliseconds) {
  struct epoll_event events[32];
  int count = epoll_wait(list, events, most < 32 ? most : 32, milliseconds);
  for (int position = 0; position < count; position++) names[position] = events[position].data.u64;
  return count;
}
static inline char **clinux_environment(void) {
  extern char **environ;
  return environ;
}
// Functions that the C library hides from modules. They open descriptors that are close-on-exec from the start, or let
// a child process inherit only the descriptors that it needs.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int clinux_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
extern int pipe2(int[2], int);
static inline int clinux_pipe(int *ends, int flags) { return pipe2(ends, flags); }
extern int mkostemp(char *, int);
// Creates and opens a file at a path that ends in XXXXXX, and removes its name. Returns -1 on failure.
static inline int clinux_unnamed_file(char *path, int flags) {
  int number = mkostemp(path, flags);
  if (number >= 0) unlink(path);
  return number;
}
extern int posix_openpt(int), grantpt(int), unlockpt(int), ptsname_r(int, char *, size_t);
// Opens the controlling end of a new pseudo-terminal, and stores the path of the other end in `path`.
static inline int clinux_open_terminal(char *path, size_t length, int flags) {
  int number = posix_openpt(flags);
  if (number >= 0 && !grantpt(number) && !unlockpt(number) && !ptsname_r(number, path, length))
    return number;
  int reason = errno;
  if (number >= 0) close(number);
  errno = reason;
  return -1;
}
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
static inline int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
// POSIX_SPAWN_SETSID, which the C library also hides from modules.
enum { clinux_spawn_session = 0x80 };
// Opens a close-on-exec descriptor of a process. The descriptor becomes readable when the process has ended.
static inline int clinux_open_process(int id) { return (int)syscall(SYS_pidfd_open, id, 0); }
static inline int clinux_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
// The C library hides these functions from modules, or gives a structure the same name as the function.
static inline uint32_t clinux_file_system_kind(int descriptor) {
  struct statfs facts;
  return fstatfs(descriptor, &facts) == 0 ? (uint32_t)facts.f_type : 0;
}
static inline long clinux_sync_file_system(int descriptor) {
  return syscall(SYS_syncfs, descriptor);
}
// AT_FDCWD, which <fcntl.h> defines.
enum { clinux_current_folder = -100 };
// Renames a file unless the new name exists. The last argument is RENAME_NOREPLACE.
static inline long clinux_rename_if_free(const char *from, const char *to) {
  return syscall(SYS_renameat2, clinux_current_folder, from, clinux_current_folder, to, 1);
}
// Exchanges two files or folders. The last argument is RENAME_EXCHANGE.
static inline long clinux_exchange(const char *one, const char *other) {
  return syscall(SYS_renameat2, clinux_current_folder, one, clinux_current_folder, other, 2);
}
// Allows any process of this user to trace this process, including a debugger that this process starts.
static inline int clinux_permit_tracing(void) {
  return prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
}
// Makes the allocator return large blocks of memory to the system when they are freed. Otherwise, the C library raises
// its own thresholds and keeps up to 64 MiB of freed memory, plus any free memory between blocks in use. All threads
// share two heaps. With a heap per thread, each heap would keep as much memory as its thread ever needed.
static inline void clinux_return_memory(void) {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}
// The information that dl_iterate_phdr reports about the program and each library; hidden from modules.
struct clinux_code_file {
  ElfW(Addr) address;
  const char *name;
  const ElfW(Phdr) *parts;
  ElfW(Half) count;
};
extern int clinux_each_code_file(
    int (*body)(const struct clinux_code_file *, size_t, void *), void *) __asm__("dl_iterate_phdr");
// Drops the read-only pages of a code file from memory. Pages that are still in use are read back at once.
static inline int clinux_let_go_of_code(const struct clinux_code_file *file, size_t size, void *nothing) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < file->count; i++) {
    const ElfW(Phdr) *part = &file->parts[i];
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    const uintptr_t start = (file->address + part->p_vaddr) & ~(page - 1);
    const uintptr_t end = (file->address + part->p_vaddr + part->p_filesz) & ~(page - 1);
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}
// Returns all free memory to the system, including memory between blocks in use, and drops code pages.
static inline void clinux_trim_memory(void) {
  malloc_trim(0);
  clinux_each_code_file(clinux_let_go_of_code, NULL);
}
static inline int clinux_leave_no_core_file(void) {
  struct rlimit nothing = {0, 0};
  return setrlimit(RLIMIT_CORE, &nothing);
}
static inline int clinux_name_this_thread(const char *name) { return prctl(PR_SET_NAME, name); }
// A set of processors is a bit mask with 64 processors per word. The C library's functions for these sets are hidden
// from modules.
enum { clinux_processor_words = 16 };
static inline long clinux_allowed_processors(uint64_t *words) {
  return syscall(SYS_sched_getaffinity, 0, clinux_processor_words * sizeof *words, words);
}
static inline long clinux_pin_this_thread(int processor) {
  uint64_t words[clinux_processor_words] = {0};
  words[processor / 64] = 1ull << processor % 64;
  return syscall(SYS_sched_setaffinity, 0, sizeof words, words);
}

// A received packet, stored in one slot of a buffer.
typedef struct {
  int64_t realtime_nanoseconds;  // the kernel's arrival time, 0 if unknown
  int32_t length;
  int32_t is_cut;  // whether the packet was longer than its slot
} clinux_packet;
enum { clinux_packets_at_once = 32 };

// Receives the packets that are waiting on a socket, each with its arrival time, in one call. Receives at most 32
// packets, and no more than there are slots. Returns the number of packets, or minus errno. The control-message macros
// need a buffer that only C can lay out. The C library's own recvmmsg is hidden from modules.
static inline int clinux_receive_packets(
    int descriptor, void *bytes, size_t slot_length, clinux_packet *packets, int slots) {
  struct { struct msghdr header; unsigned length; } messages[clinux_packets_at_once];
  struct iovec parts[clinux_packets_at_once];
  char controls[clinux_packets_at_once][CMSG_SPACE(sizeof(struct timespec))]
      __attribute__((aligned(8)));
  for (int slot = 0; slot < slots; slot++) {
    parts[slot] = (struct iovec){(char *)bytes + slot * slot_length, slot_length};
    messages[slot].header = (struct msghdr){
        .msg_iov = &parts[slot], .msg_iovlen = 1,
        .msg_control = controls[slot], .msg_controllen = sizeof controls[slot]};
  }
  long count = syscall(SYS_recvmmsg, descriptor, messages, slots, MSG_DONTWAIT, NULL);
  if (count < 0) return -errno;
  for (int slot = 0; slot < count; slot++) {
    struct msghdr *header = &messages[slot].header;
    packets[slot] = (clinux_packet){0, (int32_t)messages[slot].length, 0};
    packets[slot].is_cut = (header->msg_flags & MSG_TRUNC) != 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
      if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
        packets[slot].realtime_nanoseconds = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
      }
    }
  }
  return (int)count;
}
// Opens a socket for the kernel's notifications about changed links, addresses and routes.
static inline int clinux_network_news(void) {
  int news = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  struct sockaddr_nl groups = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE |
                   RTMGRP_IPV6_ROUTE,
  };
  if (news >= 0 && bind(news, (struct sockaddr *)&groups, sizeof groups) != 0) {
    int number = errno;
    close(news);
    errno = number;
    return -1;
  }
  return news;
}
// Reads the next notification. Returns 1 if a new route may be available, 0 if not, or -1 if no notification is
// waiting.
static inline int clinux_network_came(int news) {
  char bytes[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
  long count = recv(news, bytes, sizeof bytes, MSG_DONTWAIT);
  // The socket's buffer overflowed, so any notification may have been lost.
  if (count < 0) return errno == ENOBUFS ? 1 : -1;
  int came = 0;
  for (struct nlmsghdr *head = (struct nlmsghdr *)bytes; NLMSG_OK(head, count);
       head = NLMSG_NEXT(head, count)) {
    if (head->nlmsg_type == RTM_NEWADDR || head->nlmsg_type == RTM_NEWROUTE) came = 1;
    if (head->nlmsg_type == RTM_NEWLINK) {
      struct ifinfomsg *link = NLMSG_DATA(head);
      if (link->ifi_flags & IFF_RUNNING) came = 1;
    }
  }
  return came;
}
// Fills in a socket address from a name. The name is a path or, if it begins with '@', a name in the kernel's abstract
// namespace. The address contains an array of characters, which Swift imports as a tuple.
static inline int clinux_local_address(const char *name, struct sockaddr_un *address, socklen_t *length) {
  size_t count = strlen(name);
  if (count == 0 || count >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  memcpy(address->sun_path, name, count);
  if (name[0] == '@') address->sun_path[0] = 0;
  *length = offsetof(struct sockaddr_un, sun_path) + count + (name[0] == '@' ? 0 : 1);
  return 0;
}
// Sends one message to a datagram socket without blocking.
static inline int clinux_tell(const char *name, const char *text) {
  struct sockaddr_un address;
  socklen_t length;
  if (clinux_local_address(name, &address, &length) != 0) return -1;
  int number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (number < 0) return -1;
  long sent = sendto(
      number, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, length);
  int reason = errno;
  close(number);
  errno = reason;
  return sent < 0 ? -1 : 0;
}
// Connects to the program that listens at a path. Returns -1 if no program is listening.
static inline int clinux_local_connect(const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (clinux_local_address(path, &address, &length) != 0) return -1;
  int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (number < 0) return -1;
  if (connect(number, (struct sockaddr *)&address, length) == 0) return number;
  int reason = errno;
  close(number);
  errno = reason;
  return -1;
}
// Declared here, because including its header would move `struct stat` into this module.
extern int chmod(const char *, unsigned);
// Opens a socket that listens at a path. Only the socket's owner and group can connect.
static inline int clinux_local_listen(const char *path, int waiting) {
  struct sockaddr_un address;
  socklen_t length;
  if (clinux_local_address(path, &address, &length) != 0) return -1;
  int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (number < 0) return -1;
  if (bind(number, (struct sockaddr *)&address, length) == 0 && chmod(path, 0660) == 0 &&
      listen(number, waiting) == 0)
    return number;
  int reason = errno;
  close(number);
  errno = reason;
  return -1;
}
// Returns the maximum error of the system clock in microseconds. Returns -1 if the clock is not synchronised, or if
// this program may not query it, for example under systemd's ProtectClock=.
static inline long clinux_clock_uncertainty(void) {
  struct timex state = {0};
  int answer = adjtimex(&state);
  return answer < 0 || answer == TIME_ERROR ? -1 : state.maxerror;
}
