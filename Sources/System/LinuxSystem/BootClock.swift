internal import CLinux
internal import Glibc
public import Values

/// Reads the kernel's clocks.
public enum BootClock {
  /// Returns the current time on `CLOCK_BOOTTIME`.
  public static func now() -> BootTime {
    if let computer = Computer.simulated { return computer.bootTime }
    return BootTime(nanoseconds: read(CLOCK_BOOTTIME))
  }

  /// Returns the current time of the system clock, which may be incorrect.
  public static func systemTime() -> UTCTime {
    if let computer = Computer.simulated { return computer.systemTime }
    return UTCTime(nanoseconds: read(CLOCK_REALTIME))
  }

  /// Reads both clocks at nearly the same instant.
  ///
  /// Makes up to three attempts to read the boot clock immediately before and after the system
  /// clock. Uses the attempt with the shortest interval between the two boot times. The first
  /// attempt is usually good enough.
  public static func pair() -> (boot: BootTime, utc: UTCTime) {
    if let computer = Computer.simulated { return (computer.bootTime, computer.systemTime) }
    var best = (boot: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 0))
    var narrowest = Int64.max
    for _ in 0..<3 where narrowest > tightPair {
      let before = read(CLOCK_BOOTTIME)
      let utc = read(CLOCK_REALTIME)
      let after = read(CLOCK_BOOTTIME)
      if after - before < narrowest {
        narrowest = after - before
        best = (BootTime(nanoseconds: before + (after - before) / 2), UTCTime(nanoseconds: utc))
      }
    }
    return best
  }

  /// No further attempt is made if the two readings of the boot clock are at most this many
  /// nanoseconds apart.
  private static let tightPair: Int64 = 1_000

  /// Whether the kernel considers the system clock synchronised, for example by NTP.
  public static var isSystemTimeSynchronised: Bool {
    Computer.simulated?.isSystemTimeSynchronised ?? (clinux_clock_uncertainty() >= 0)
  }

  /// The kernel's estimate of the system clock's maximum error, in seconds; `nil` if the clock is
  /// not synchronised.
  public static var systemTimeUncertainty: Double? {
    guard Computer.simulated == nil else { return 0 }
    let microseconds = clinux_clock_uncertainty()
    return microseconds < 0 ? nil : Double(microseconds) / 1e6
  }

  /// Returns the id of this boot. Two processes can compare boot times only if they have the same
  /// boot id.
  public static func bootID() throws(SystemError) -> UniqueID {
    if let computer = Computer.simulated { return computer.bootID }
    let path = "/proc/sys/kernel/random/boot_id"
    guard let id = WholeFile.text(path).flatMap({ UniqueID($0.prefix(36)) }) else {
      throw SystemError("read \(path)", number: EIO)
    }
    return id
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
