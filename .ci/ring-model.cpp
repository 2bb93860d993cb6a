// The ring of Sources/System/RingBuffer as a model for Relacy, which runs it in many schedules and lets a load return
// any value that the C++ memory orderings, which Swift shares, allow. Built and run by .ci/ring-models.
#include <relacy/relacy.hpp>

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace {

enum Access { tailStore, tailLoad, headStore, headLoad, accessCount };
const char* const names[] = {"tail.store", "tail.load", "head.store", "head.load"};
rl::memory_order orders[accessCount];

constexpr int capacity = 2;
constexpr int rounds = 6;

struct Model : rl::test_suite<Model, 2> {
  rl::var<int> slots[capacity];
  rl::atomic<int> sharedHead, sharedTail;

  void before() {
    sharedHead.store(0, rl::mo_relaxed, $);
    sharedTail.store(0, rl::mo_relaxed, $);
  }

  void thread(unsigned index) { index == 0 ? produce() : consume(); }

  // RingProducer.push: alternates between single elements and batches, if they fit.
  void produce() {
    int tail = 0, knownHead = 0;
    for (int round = 0; round < rounds; ++round) {
      int fitting = 1 + round % 2;
      if (capacity - (tail - knownHead) < fitting) {
        knownHead = sharedHead.load(orders[headLoad], $);
        fitting = std::min(fitting, capacity - (tail - knownHead));
      }
      for (int i = 0; i < fitting; ++i) slots[(tail + i) % capacity]($) = tail + i;
      tail += fitting;
      sharedTail.store(tail, orders[tailStore], $);
    }
  }

  // RingConsumer.drain: in two parts if the elements wrap around. Relacy itself reports a slot that both ends use.
  void consume() {
    int head = 0;
    for (int round = 0; round < rounds; ++round) {
      const int count = sharedTail.load(orders[tailLoad], $) - head;
      for (int taken = 0; taken < count;) {
        const int place = head % capacity;
        const int length = std::min(count - taken, capacity - place);
        for (int i = 0; i < length; ++i) RL_ASSERT(slots[place + i]($) == head + i);
        head += length;
        taken += length;
        sharedHead.store(head, orders[headStore], $);
      }
    }
  }
};

struct Fault {
  // The number of the failing schedule, or 0.
  unsigned long long schedule;
  const char* kind;
};

Fault firstFault(unsigned long long schedules) {
  std::ostream nowhere(nullptr);
  rl::test_params params;
  params.iteration_count = schedules;
  params.output_stream = params.progress_stream = &nowhere;
  const bool holds = rl::simulate<Model>(params);
  return {holds ? 0 : params.stop_iteration, rl::test_result_str(params.test_result)};
}

void strengthen() {
  orders[tailStore] = orders[headStore] = rl::mo_release;
  orders[tailLoad] = orders[headLoad] = rl::mo_acquire;
}

}  // namespace

int main() {
  constexpr unsigned long long schedules = 400'000;
  strengthen();
  if (const auto fault = firstFault(schedules); fault.schedule) {
    std::fprintf(stderr, "error: schedule %llu breaks the ring: %s\n", fault.schedule, fault.kind);
    return 1;
  }
  std::printf("ok      the ring holds in %llu schedules\n", schedules);
  for (int access = 0; access < accessCount; ++access) {
    strengthen();
    orders[access] = rl::mo_relaxed;
    const auto fault = firstFault(schedules);
    if (!fault.schedule) {
      std::fprintf(stderr, "error: the model does not detect that %s is relaxed\n", names[access]);
      return 1;
    }
    std::printf("ok      with %s relaxed, schedule %llu breaks it: %s\n", names[access], fault.schedule, fault.kind);
  }
}
