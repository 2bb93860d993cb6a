internal import Glibc

/// Processor time that a process has used so far, all its threads together.
enum ProcessorClock {
  /// Nanoseconds used by the process with this id, which has to be running.
  static func nanoseconds(of process: Int32) -> Double {
    var clock = clockid_t()
    var time = timespec()
    let outcome = unsafe clock_getcpuclockid(process, &clock)
    precondition(outcome == 0, "the process \(process) ended before its time was read")
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
