internal import Glibc

/// The processor time of a process so far, for all its threads together.
enum ProcessorClock {
  /// Nanoseconds used by the process with this id, which must be running.
  static func nanoseconds(of process: Int32) -> Double {
    var clock = clockid_t()
    var time = timespec()
    let outcome = unsafe clock_getcpuclockid(process, &clock)
    precondition(outcome == 0, "the process \(process) ended before its time was read")
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
