internal import Values

/// Decides how the reader waits: for every packet, or on a tick that lets packets gather.
///
/// Waking for a packet costs ten times as much as taking it, so packets are taken together where
/// many arrive. No accuracy is lost: each packet carries the kernel's stamp of its arrival. Few
/// packets are awaited one by one, since a caller may wait for one of them.
///
/// While packets gather no socket must fill up: the daemon loses packets for a full socket. A
/// socket holds 278 short messages. In 19 ms the fastest link, with 1,600 packets a second, brings
/// 31 of them; filling it would take 14,600 a second. Still, a socket found with more than a share
/// of that shortens the next tick: the reader may have been delayed.
package struct ReaderPace: Sendable {
  /// Packets a second, from all boards, above which packets gather.
  static let gatheringRate = 200.0
  /// Packets a second below which each packet is awaited again.
  static let awaitingRate = 100.0
  /// Seconds over which the rate is measured.
  static let window = 0.25
  /// Seconds of the longest tick: with the kernel's delay it stays below 20 ms.
  package static let longestTick = 0.019
  /// Seconds of the shortest tick.
  static let shortestTick = 0.001
  /// Packets of 20 bytes that a socket holds by default: 212,992 bytes, of which each takes 768.
  static let queue = 278
  /// Waiting packets of one board above which the tick is shortened; below a fourth of them it
  /// grows again.
  static let share = queue / 4

  /// Seconds between two drains; `nil` while each packet is awaited.
  package private(set) var tick: Double?
  /// Whether the pace never switches between awaiting and gathering.
  private let isFixed: Bool
  private var windowStart = BootTime(nanoseconds: 0)
  private var packets = 0

  /// A pace that begins by waiting for each packet.
  package init() {
    isFixed = false
  }

  /// A pace that stays the same whatever the number of packets, for measuring its cost.
  package init(fixed tick: Double?) {
    isFixed = true
    self.tick = tick
  }

  /// Notes a round that took `packets`, `most` of them from one board.
  mutating func note(packets: Int, most: Int, at now: BootTime) {
    guard !isFixed else { return }
    if let tick {
      if most > Self.share {
        self.tick = max(tick / 2, Self.shortestTick)
      } else if most < Self.share / 4 {
        self.tick = min(tick * 2, Self.longestTick)
      }
    }
    self.packets += packets
    let seconds = now.seconds(since: windowStart)
    guard seconds >= Self.window else { return }
    let rate = Double(self.packets) / seconds
    if tick == nil, rate > Self.gatheringRate { tick = Self.longestTick }
    if tick != nil, rate < Self.awaitingRate { tick = nil }
    windowStart = now
    self.packets = 0
  }
}
