internal import Glibc

/// Measures the total processor time of a process, summed over its threads.
enum ProcessorClock {
  /// Returns the nanoseconds used by the process with this id; `nil` if it has exited.
  static func nanoseconds(of process: Int32) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard unsafe clock_getcpuclockid(process, &clock) == 0,
      unsafe clock_gettime(clock, &time) == 0
    else { return nil }
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// Returns the nanoseconds used by a process, which must be running.
  static func nanoseconds(ofRunning process: Int32) -> Double {
    guard let nanoseconds = nanoseconds(of: process) else {
      preconditionFailure("process \(process) exited before its processor time was read")
    }
    return nanoseconds
  }
}
