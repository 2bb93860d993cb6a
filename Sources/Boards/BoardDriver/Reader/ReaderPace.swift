internal import Values

/// How the reader waits: for every packet, or on a tick that lets packets gather.
///
/// Waking for a packet costs ten times what taking it does, so where many come they are taken
/// together. No truth is lost by it: each packet carries the kernel's stamp of its arrival. Few
/// packets are awaited one by one, since a caller may wait for one of them.
///
/// While packets gather no socket must fill up, for what the daemon cannot put there is lost. A
/// socket holds 278 short messages, and in 19 ms the fastest link, 1,600 packets a second, brings
/// 31 of them; 14,600 a second would be needed to fill it. A socket that is found with more than a
/// share of that makes the next tick shorter all the same: the reader may have been kept waiting.
package struct ReaderPace: Sendable {
  /// Packets a second, from all boards, above which they are let gather.
  static let gatheringRate = 200.0
  /// And below which each is awaited again.
  static let awaitingRate = 100.0
  /// Seconds over which the rate is measured.
  static let window = 0.25
  /// Seconds of the longest tick: with what the kernel adds it stays below 20 ms.
  package static let longestTick = 0.019
  /// Seconds of the shortest.
  static let shortestTick = 0.001
  /// Packets of 20 bytes that a socket holds by default: 212,992 bytes, of which each takes 768.
  static let queue = 278
  /// Waiting packets of one board from which on the tick is shortened, and below a fourth of which
  /// it grows again.
  static let share = queue / 4

  /// Seconds from one drain to the next; `nil` while each packet is awaited.
  package private(set) var tick: Double?
  /// Whether it never changes between the two.
  private let isFixed: Bool
  private var windowStart = BootTime(nanoseconds: 0)
  private var packets = 0

  /// A pace that begins by waiting for each packet.
  package init() {
    isFixed = false
  }

  /// A pace that stays as it is, however many packets come: for measuring what it costs.
  package init(fixed tick: Double?) {
    isFixed = true
    self.tick = tick
  }

  /// Takes notice of a round that took `packets`, `most` of them from one board.
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
