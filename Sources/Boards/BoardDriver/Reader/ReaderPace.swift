internal import Values

/// Decides how the reader waits: for every packet, or on a tick that lets packets gather.
///
/// Waking for a packet costs ten times as much as taking it, so packets are taken together as soon
/// as several arrive within a tick. No accuracy is lost: each packet carries the kernel's stamp of
/// its arrival. If fewer packets arrive than ticks would pass, each is awaited, so that an idle
/// link wakes no thread.
///
/// While packets gather no socket must fill up: the daemon drops packets for a full socket. A
/// socket holds 278 short messages. In 100 ms the fastest link, with 1,600 packets a second, brings
/// 160 of them. That is more than `share`, so the next ticks are shorter. A board with acceleration
/// and angular velocity at 100 Hz brings 10 to 20.
package struct ReaderPace: Sendable {
  /// Packets a second, from all boards, above which packets gather: two a tick.
  static let gatheringRate = 20.0
  /// Packets a second below which each packet is awaited again: one a tick.
  static let awaitingRate = 10.0
  /// Seconds over which the rate is measured.
  static let window = 1.0
  /// Seconds of the longest tick. The live view shows a sample at most 150 ms after its arrival;
  /// the recorder and the view need the rest.
  package static let longestTick = 0.1
  /// Seconds of the shortest tick.
  static let shortestTick = 0.001
  /// Packets of 20 bytes that a socket holds by default: 212,992 bytes, of which each takes 768.
  static let queue = 278
  /// Waiting packets of one board above which the tick is shortened; below a quarter of that it
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

  /// A pace that stays the same whatever the number of packets, to measure its cost.
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
