internal import Glibc
internal import LinuxSystem
internal import Values

/// The processor time that the machine makes available to this process. This time passes more
/// slowly than a clock while this process has more runnable threads than processors. It stops while
/// the machine is suspended.
///
/// Time limits of tests are measured in given time. A test on a busy machine then gets the time it
/// needs, and a hanging test on an idle machine fails early.
public struct GivenTime: Sendable, Comparable {
  private let nanoseconds: Int64

  /// The time given so far. On a simulated computer, all time is considered given.
  public static var now: GivenTime {
    GivenTime(
      nanoseconds: Computer.simulated?.bootTime.nanoseconds ?? Timekeeper.shared.given)
  }

  /// Returns the given time, in seconds, since an earlier reading.
  public func seconds(since other: GivenTime) -> Double {
    Double(nanoseconds - other.nanoseconds) / 1e9
  }

  /// Returns the reading after `seconds` more seconds of given time.
  public func advanced(bySeconds seconds: Double) -> GivenTime {
    GivenTime(nanoseconds: nanoseconds + Int64(seconds * 1e9))
  }

  public static func < (left: GivenTime, right: GivenTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

/// Measures the stalls during part of a test: the seconds in which this computer did other work.
public struct Stall: Sendable {
  private let clock = BootClock.now()
  private let given = GivenTime.now

  /// Starts measuring stalls.
  public init() {}

  /// Total duration of the stalls in seconds since the measurement started.
  public var seconds: Double {
    BootClock.now().seconds(since: clock) - GivenTime.now.seconds(since: given)
  }
}

/// Adds up the given time, and makes the watchdog check the tests.
final class Timekeeper: Sendable {
  static let shared = Timekeeper()

  private static let tick = 0.02
  /// The maximum length of a tick in seconds. A longer tick means that the machine was suspended.
  private static let longestTick = 0.04

  /// The minimum share of a processor that a test is credited with. Without this minimum, a hanging
  /// test on a busy machine would be detected only after hours.
  private static let leastShare = 0.1

  private let nanoseconds = Guarded<Int64>(0)

  private init() {
    do {
      try NamedThread("timekeeper") { self.run() }.letGo()
    } catch {
      fatalError("\(error)")
    }
  }

  var given: Int64 { nanoseconds.withLock { $0 } }

  private func run() {
    let processors = Double(Processors.allowed.count)
    // "0.20 0.18 0.12 1/80 11206": the fourth field begins with the number of runnable threads,
    // including this one. The file stays open for the lifetime of the process.
    let load = unsafe open("/proc/loadavg", O_RDONLY | O_CLOEXEC)
    var last = BootClock.now()
    while true {
      var nothing = PollSet()
      nothing.wait(seconds: Self.tick)
      let now = BootClock.now()
      let passed = min(now.seconds(since: last), Self.longestTick)
      last = now
      let runnable = max(1, Self.runnable(load) - 1)
      let share = min(1, max(Self.leastShare, processors / Double(runnable)))
      nanoseconds.withLock { $0 += Int64(passed * share * 1e9) }
      Watchdog.shared.look()
    }
  }

  private static func runnable(_ load: Int32) -> Int {
    var text = [UInt8](repeating: 0, count: 64)
    let count = unsafe text.withUnsafeMutableBytes { text in
      unsafe pread(load, text.baseAddress, text.count, 0)
    }
    guard count > 0 else { return 1 }
    let words = text[..<count].split(separator: UInt8(ascii: " "))
    guard words.count > 3 else { return 1 }
    return Int(String(decoding: words[3].prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)) ?? 1
  }
}
