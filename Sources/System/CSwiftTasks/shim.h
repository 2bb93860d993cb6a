// The part of Swift's concurrency runtime that decides which thread runs a task. The runtime offers
// this hook for executors other than its own thread pool.
#pragma once

#include <stdbool.h>

#define CTASKS_SWIFT __attribute__((swiftcall))

typedef CTASKS_SWIFT void (*ctasks_original)(void *job);
typedef CTASKS_SWIFT void (*ctasks_hook)(void *job, ctasks_original original);

extern ctasks_hook swift_task_enqueueGlobal_hook;
/// Runs a job. The executor is two words, both of which are null for the thread pool.
extern CTASKS_SWIFT void swift_job_run(void *job, void *executor, void *implementation);

/// Accepts a job and returns true, or leaves it to the thread pool and returns false.
typedef bool (*ctasks_taker)(void *job);

// The variable is inside a function, because Swift would import a global variable without its storage.
static inline ctasks_taker *ctasks_place(void) {
  static ctasks_taker taker;
  return &taker;
}

static CTASKS_SWIFT void ctasks_enqueue(void *job, ctasks_original original) {
  if (!(*ctasks_place())(job)) original(job);
}

/// Offers each job that is ready to run to `take`, before the thread pool receives it.
static inline void ctasks_install(ctasks_taker take) {
  *ctasks_place() = take;
  swift_task_enqueueGlobal_hook = ctasks_enqueue;
}

/// Runs a job, as a thread of the pool would.
static inline void ctasks_run(void *job) {
  swift_job_run(job, 0, 0);
}
