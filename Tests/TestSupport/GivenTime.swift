internal import Glibc
internal import LinuxSystem
internal import Values

/// The time the machine has given to this process. While more threads want to run than there are
/// permitted processors, it passes more slowly than a clock. While the whole machine stands still,
/// it stops.
///
/// Limits of tests are in given time. A test on a busy machine then has the patience it needs, and
/// a test on an idle one fails soon.
public struct GivenTime: Sendable, Comparable {
  private let nanoseconds: Int64

  /// The time given so far. A simulated computer gives all of its time.
  public static var now: GivenTime {
    GivenTime(
      nanoseconds: Computer.simulated?.bootTime.nanoseconds ?? Timekeeper.shared.given)
  }

  /// Seconds given since another time.
  public func seconds(since other: GivenTime) -> Double {
    Double(nanoseconds - other.nanoseconds) / 1e9
  }

  /// The time at which `seconds` more seconds will have been given.
  public func advanced(bySeconds seconds: Double) -> GivenTime {
    GivenTime(nanoseconds: nanoseconds + Int64(seconds * 1e9))
  }

  /// Compares by time: the earlier one is smaller.
  public static func < (left: GivenTime, right: GivenTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

/// The stalls during a part of a test: seconds in which this computer did other things.
public struct Stall: Sendable {
  private let clock = BootClock.now()
  private let given = GivenTime.now

  /// Begins to measure.
  public init() {}

  /// Seconds so far.
  public var seconds: Double {
    BootClock.now().seconds(since: clock) - GivenTime.now.seconds(since: given)
  }
}

/// Adds up the given time, and lets the watchdog look after the tests.
final class Timekeeper: Sendable {
  static let shared = Timekeeper()

  private static let tick = 0.02
  /// A longer tick means that the machine stood still.
  private static let longestTick = 0.04

  /// The least share of a processor credited to a test. Otherwise, on a busy machine, a hanging
  /// test would be found only after hours.
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
    // "0.20 0.18 0.12 1/80 11206": threads that run or want to, including this one. The file stays
    // open as long as the process lives.
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
