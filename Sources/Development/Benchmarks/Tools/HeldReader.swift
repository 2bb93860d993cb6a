internal import BoardDriver
internal import Values

/// The reader thread on a busy computer: now and then it is not scheduled, at any of its steps.
struct HeldReader {
  /// How often it is held at a step, and for how many seconds at most.
  var holds = 0.02
  var longestHold = 0.25
  /// Seconds between two looks at the socket where packets come fast; 0 to be woken by each.
  var tick = 0.0

  /// By what part the system clock, which stamps packets, is slewed against the boot clock.
  private static let slew = 20e-6
  /// Seconds that a step takes undisturbed.
  private static let step = 20e-6
  /// Packets that are taken at a time.
  private static let most = 64

  /// When packets are said to have arrived, which did so at these seconds of the boot clock.
  func arrivals(of packets: [Double], using random: inout SplitMix64) -> [BootTime] {
    var result: [BootTime] = []
    result.reserveCapacity(packets.count)
    guard let first = packets.first else { return [] }
    var clock = StampClock(at: Self.clocks(first - 1))
    var (lastArrival, lastEmpty) = (Self.boot(first - 1), Self.boot(first - 1))
    var now = first
    var next = 0
    while next < packets.count {
      now = max(now + tick, packets[next]) + pause(&random)
      clock.startRound(at: Self.boot(now))
      let isEmptyBefore = Self.boot(now)
      now += pause(&random)
      let end = min(next + Self.most, packets.count)
      let taken = packets[next..<end].prefix { $0 <= now }
      now += pause(&random)
      clock.take(before: Self.clocks(now))
      for packet in taken {
        let stamp = Self.clocks(packet).utc.nanoseconds
        lastArrival = max(lastArrival, clock.arrival(stamp, since: lastEmpty))
        result.append(lastArrival)
      }
      lastEmpty = taken.count < Self.most ? isEmptyBefore : lastArrival
      next += taken.count
    }
    return result
  }

  /// How long a step takes.
  private func pause(_ random: inout SplitMix64) -> Double {
    let isHeld = Double.random(in: 0..<1, using: &random) < holds
    return Self.step + (isHeld ? Double.random(in: 0..<longestHold, using: &random) : 0)
  }

  private static func boot(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: Int64(seconds * 1e9))
  }

  private static func clocks(_ seconds: Double) -> (boot: BootTime, utc: UTCTime) {
    let utc = Int64(seconds * 1e9) + Int64(seconds * slew * 1e9)
    return (boot(seconds), UTCTime(nanoseconds: 1_780_000_000_000_000_000 + utc))
  }
}
