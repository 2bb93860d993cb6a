internal import LinuxSystem

/// The queue that the ring is compared with: a C++ queue that uses the techniques of
/// rigtorp/SPSCQueue, in a separate process.
final class PlainQueue {
  private let compiled: CompiledProgram
  private let child: ChildProcess
  private let orders: OwnedDescriptor
  private let output: ChildOutputReader

  /// Compiles and starts the program, with queues for `capacity` numbers and threads pinned to
  /// these processors. Throws if no compiler is installed.
  init(capacity: Int, on processors: (Int, Int)) throws {
    compiled = try CompiledProgram("queue", .cPlusPlus, source: Self.source)
    let pair = try OwnedDescriptor.packetSocketPair()
    let output = try ChildOutput()
    child = try ChildProcess(
      compiled.path, ["\(capacity)", "\(processors.0)", "\(processors.1)"],
      inheriting: [(pair.far.number, 0), (output.writing.number, 1)])
    self.output = output.closeWriting()
    orders = pair.split { _ = consume $0 }
  }

  deinit {
    child.kill()
  }

  /// Passes `count` numbers through the queue and returns the time that the program measured. `way`
  /// is `items` for one-way traffic or `trips` for round trips.
  func run(_ way: String, _ count: Int) throws(MeasurementError) -> Side.Work {
    _ = orders.send(Array("\(way) \(count)".utf8))
    let words = output.firstLine(seconds: 60)?.split(separator: " ") ?? []
    guard words.count == 2, let right = Int(words[0]), let time = Double(words[1]) else {
      throw MeasurementError("the C++ queue sent no reply")
    }
    return Side.Work(samples: right, nanoseconds: time)
  }

  /// Each side stores its own index and a copy of the other's, all four on separate cache lines.
  /// The slots are touched in advance, as in Footbridge's ring. A request is a mode and a count.
  /// The reply is the number of values received in order, and the elapsed nanoseconds.
  private static let source = """
    #include <atomic>
    #include <chrono>
    #include <cstdint>
    #include <cstdio>
    #include <cstdlib>
    #include <fcntl.h>
    #include <memory>
    #include <pthread.h>
    #include <string>
    #include <thread>
    #include <unistd.h>

    class Queue {
     public:
      explicit Queue(std::size_t capacity)
          : size_(capacity + 1), slots_(new std::int32_t[size_ + 2 * padding]()) {}

      void push(std::int32_t value) {
        const auto at = write_.load(std::memory_order_relaxed);
        auto next = at + 1;
        if (next == size_) next = 0;
        while (next == read_seen_) read_seen_ = read_.load(std::memory_order_acquire);
        slots_[at + padding] = value;
        write_.store(next, std::memory_order_release);
      }

      const std::int32_t *front() {
        const auto at = read_.load(std::memory_order_relaxed);
        if (at == write_seen_) {
          write_seen_ = write_.load(std::memory_order_acquire);
          if (at == write_seen_) return nullptr;
        }
        return &slots_[at + padding];
      }

      void pop() {
        auto next = read_.load(std::memory_order_relaxed) + 1;
        if (next == size_) next = 0;
        read_.store(next, std::memory_order_release);
      }

     private:
      static constexpr std::size_t padding = 16;
      const std::size_t size_;
      const std::unique_ptr<std::int32_t[]> slots_;
      alignas(64) std::atomic<std::size_t> write_{0};
      alignas(64) std::size_t read_seen_ = 0;
      alignas(64) std::atomic<std::size_t> read_{0};
      alignas(64) std::size_t write_seen_ = 0;
    };

    static void pin(int processor) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(processor, &set);
      pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }

    static void meet(std::atomic<int> &arrived) {
      arrived.fetch_add(1, std::memory_order_acq_rel);
      while (arrived.load(std::memory_order_acquire) < 2) {
      }
    }

    int main(int, char **words) {
      const std::size_t capacity = std::strtoul(words[1], nullptr, 10);
      const int first = std::atoi(words[2]), second = std::atoi(words[3]);
      Queue there(capacity), back(capacity);
      fcntl(0, F_SETFL, fcntl(0, F_GETFL) & ~O_NONBLOCK);
      char order[64] = {};
      for (;;) {
        const auto length = read(0, order, sizeof order - 1);
        if (length <= 0) return 0;
        order[length] = 0;
        const bool is_trip = order[0] == 't';
        const std::int32_t count = std::atoi(order + 6);
        std::int32_t right = 0;
        std::atomic<int> present{0}, done{0};
        std::thread partner([&] {
          pin(second);
          meet(present);
          for (std::int32_t number = 0; number < count; number++) {
            while (!there.front()) {
            }
            if (is_trip) back.push(*there.front());
            else if (*there.front() == number) right++;
            there.pop();
          }
          meet(done);
        });
        pin(first);
        meet(present);
        const auto start = std::chrono::steady_clock::now();
        for (std::int32_t number = 0; number < count; number++) {
          there.push(number);
          if (!is_trip) continue;
          while (!back.front()) {
          }
          if (*back.front() == number) right++;
          back.pop();
        }
        meet(done);
        const std::chrono::duration<double, std::nano> time =
            std::chrono::steady_clock::now() - start;
        partner.join();
        std::printf("%d %.0f\\n", right, time.count());
        std::fflush(stdout);
      }
    }

    """
}
