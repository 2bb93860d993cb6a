// The part of Swift's concurrency runtime that decides which thread runs a task. The runtime offers
// this hook for executors other than its own pool of threads.
#pragma once

#include <stdbool.h>

#define CTASKS_SWIFT __attribute__((swiftcall))

typedef CTASKS_SWIFT void (*ctasks_original)(void *job);
typedef CTASKS_SWIFT void (*ctasks_hook)(void *job, ctasks_original original);

extern ctasks_hook swift_task_enqueueGlobal_hook;
/// The executor is two words, both of which are null for the pool of threads.
extern CTASKS_SWIFT void swift_job_run(void *job, void *executor, void *implementation);

/// Takes a piece over, or leaves it to the pool of threads.
typedef bool (*ctasks_taker)(void *job);

// A variable inside a function, since Swift would import one outside of it without its storage.
static inline ctasks_taker *ctasks_place(void) {
  static ctasks_taker taker;
  return &taker;
}

static CTASKS_SWIFT void ctasks_enqueue(void *job, ctasks_original original) {
  if (!(*ctasks_place())(job)) original(job);
}

/// Offers each piece of a task that is ready to run to `take`, before the pool of threads gets it.
static inline void ctasks_install(ctasks_taker take) {
  *ctasks_place() = take;
  swift_task_enqueueGlobal_hook = ctasks_enqueue;
}

/// Runs a piece of a task, as a thread of the pool would.
static inline void ctasks_run(void *job) {
  swift_job_run(job, 0, 0);
}
