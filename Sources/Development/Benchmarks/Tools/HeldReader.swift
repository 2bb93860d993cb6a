internal import BoardDriver
internal import Values

/// Simulates a reader thread on a busy computer, which may be delayed at any step.
struct HeldReader {
  /// The fraction of steps that are delayed, and the maximum delay in seconds.
  var holds = 0.02
  var longestHold = 0.25
  /// Seconds between two checks of the socket at high packet rates; 0 to wake up for each packet.
  var tick = 0.0

  /// The slew of the system clock relative to the boot clock. Packets are timestamped with the
  /// system clock.
  private static let slew = 20e-6
  /// Seconds that a step takes when it is not delayed.
  private static let step = 20e-6
  /// The maximum number of packets per read.
  private static let most = 64

  /// Returns the timestamps that packets receive when they are read. `packets` lists the packets'
  /// arrival times, in seconds on the boot clock.
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

  /// Draws a step's duration in seconds.
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
