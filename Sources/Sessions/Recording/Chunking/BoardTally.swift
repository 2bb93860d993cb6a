internal import Values

/// Compares the board's own count of a stream's samples with the samples that arrived.
///
/// A board counts the samples that it takes. Once per second, it sends the count in order with its
/// packets. The difference between the count and the number of samples that arrived before the
/// report is therefore exactly the number of lost samples. Timing is needed only to locate the
/// losses between packets (`LossPlaces`).
struct BoardTally: Sendable {
  /// A count reported by the board.
  struct Count: Hashable, Sendable {
    /// Number of samples that the board had taken when it sent this count.
    var made: UInt32
    /// Number of samples that the gateway had received before this count, including unreadable
    /// samples.
    var received: UInt32
    var arrival: BootTime

    /// Number of missing samples, modulo 2³².
    var missing: UInt32 { made &- received }
  }

  /// Maximum number of seconds in which samples arrive without a count from the board. After that,
  /// losses are again inferred from timing.
  private static let patience = 5.0
  /// Factor by which a board's rate may exceed the configured rate.
  private static let slackRate = 1.25
  /// Seconds by which a count from the board may be late.
  private static let slackSeconds = 0.5
  /// Seconds by which a link's first packet may be late.
  private static let lateSeconds = 0.06
  /// Maximum loss before the first sample that arrived, in seconds. If the board's first count
  /// implies a larger loss, that loss is ignored.
  private static let firstSeconds = 10.0
  /// Maximum number of packets remembered since the board's last count: half a minute of a fast
  /// stream.
  private static let mostPackets = 4_096

  private let rate: Double
  /// Whether the packets are not numbered, so that losses must be located by timing.
  private let findsPlaces: Bool
  /// The last accepted count, or the start of the board's numbering.
  private var last: Count?
  /// Number of lost samples that were detected since the last accepted count without the help of
  /// the board's count.
  private var credit: UInt32 = 0
  /// Arrival time of the first sample in a new numbering, and the maximum number of earlier samples
  /// that may already be included in the losses.
  private var first: (arrival: BootTime, most: UInt32)?
  /// Whether the numbering began when this stream began, so that every numbered sample belongs to
  /// the stream.
  private var isWhole = false
  /// Whether the board's count contradicts the samples received, and is therefore ignored.
  private var isRefuted = false
  /// The number of the last sample in the board's own numbering.
  private(set) var raw: UInt32?
  /// Arrival times of the first and last samples since the board's last count; `nil` if no sample
  /// has arrived.
  private var waiting: (first: BootTime, last: BootTime)?
  /// Arrival time of the last packet before the board's last count.
  private(set) var before: BootTime?
  /// The packets since the board's last count.
  private(set) var packets: [LossPlaces.Packet] = []

  init(_ stream: StreamDescription) {
    rate = stream.rate
    findsPlaces = stream.isTallied
  }

  /// Whether the board's counts arrive often enough that losses need not be inferred from timing.
  var isAlive: Bool {
    guard last != nil, !isRefuted else { return false }
    return waiting.map { $0.last.seconds(since: $0.first) < Self.patience } ?? true
  }

  /// Whether a count from the board has arrived since the last sample.
  var isUpToDate: Bool { last != nil && !isRefuted && waiting == nil }

  /// Records a sample: its number in the board's numbering, its number in the store, and its
  /// arrival time.
  mutating func observe(raw: UInt32, number: UInt32, arrival: BootTime) {
    if last == nil, waiting == nil, raw == 0 { isWhole = true }
    self.raw = raw
    waiting = (waiting?.first ?? arrival, arrival)
    if let latest = packets.indices.last, packets[latest].arrival == arrival {
      packets[latest].number = number
      packets[latest].samples += 1
    } else if findsPlaces, packets.count < Self.mostPackets, last != nil || isAwaited {
      packets.append(LossPlaces.Packet(number: number, arrival: arrival))
    }
  }

  /// Whether the board's first count may still arrive. After `patience` seconds of samples without
  /// a count, a count is no longer expected.
  private var isAwaited: Bool {
    waiting.map { $0.last.seconds(since: $0.first) < Self.patience } ?? true
  }

  /// Starts the comparison with this count from the board. Samples missing before it are ignored.
  mutating func begin(_ count: Count) {
    last = count
    forget()
  }

  /// Records that the board's numbering has restarted from zero.
  mutating func restart(at time: BootTime) {
    last = Count(made: 0, received: 0, arrival: time)
    credit = 0
    isRefuted = false
    raw = nil
    first = nil
    forget()
    // No count in the new numbering has arrived yet, so losses up to now are inferred from timing.
    waiting = (time, time)
  }

  /// Whether this arrival time is between the arrival times of the first and last samples since the
  /// board's last count.
  func holds(_ arrival: BootTime) -> Bool {
    waiting.map { $0.first <= arrival && arrival <= $0.last } ?? false
  }

  /// Raises the numbers of the packets since the board's last count, starting with the packet that
  /// arrived at `arrival`.
  mutating func renumber(from arrival: BootTime, by samples: UInt32) {
    for place in packets.indices where packets[place].arrival >= arrival {
      packets[place].number &+= samples
    }
  }

  /// Records missing samples that were detected without the help of the board's count.
  mutating func note(lost samples: UInt32) { credit &+= samples }

  /// Records the first sample in a new numbering. The samples missing before it have already been
  /// estimated and counted as lost. The board's next count may also include up to `most` of them.
  mutating func noteFirst(at arrival: BootTime, mayHaveLost most: UInt32) {
    first = (arrival, most)
  }

  /// Returns the number of samples that the board took before the first sample that arrived. A
  /// later count reveals them, because it exceeds the number of samples that the board could have
  /// taken since that arrival. A small excess is ignored, since the first packet itself may be
  /// late.
  private func made(before first: BootTime, by count: Count) -> Double {
    let since = count.arrival.seconds(since: first) * rate + 1
    let before = Double(count.made) - since
    return before > Self.lateSeconds * rate + Double(LossPlaces.mostInPacket)
      ? before.rounded() : 0
  }

  /// Processes a count from the board, and returns the number of samples missing since the previous
  /// count.
  mutating func take(_ count: Count) -> UInt32 {
    guard !isRefuted else { return 0 }
    if let first {
      credit &+= UInt32(min(made(before: first.arrival, by: count), Double(first.most)))
      self.first = nil
    }
    let surplus = Int32(bitPattern: count.received &- count.made)
    let slack = rate * Self.slackSeconds + Double(LossPlaces.mostInPacket)
    guard Double(surplus) <= slack else {
      isRefuted = true
      forget()
      return 0
    }
    let former: Count
    var seconds = 0.0
    if let last {
      former = last
      seconds = max(0, count.arrival.seconds(since: last.arrival))
    } else if isWhole || waiting == nil && Double(count.made) < rate {
      former = Count(made: 0, received: 0, arrival: count.arrival)
      seconds = (waiting?.first).map { count.arrival.seconds(since: $0) } ?? 0
      seconds += Self.firstSeconds
    } else {
      // Samples before this count do not belong to any session.
      last = count
      forget()
      return 0
    }
    let more = Int32(bitPattern: count.missing &- former.missing)
    let most = seconds * rate * Self.slackRate + slack
    // Reject a loss that is too large for the elapsed time.
    guard Double(more) <= most else { return 0 }
    defer { forget() }
    guard more > 0 else {
      // An earlier estimate of the loss was too high, or the board's count is slightly late.
      last = Count(
        made: count.made, received: credit > 0 ? count.received : count.made &- former.missing,
        arrival: count.arrival)
      credit = 0
      return 0
    }
    last = count
    let missing = UInt32(more)
    defer { credit = 0 }
    return missing - min(missing, credit)
  }

  /// Processes the final count of a stream with numbered packets. Returns the number of samples
  /// missing after the last sample, which arrived at `last`.
  mutating func takeLast(_ count: Count, after last: BootTime) -> UInt32 {
    let seconds = max(0, count.arrival.seconds(since: last))
    let most = seconds * rate * Self.slackRate + Double(LossPlaces.mostInPacket)
    // If the counter has few bits, the loss of whole counter cycles may already have been inferred
    // from timing.
    let missing = count.missing &- credit
    guard (0...most).contains(Double(Int32(bitPattern: missing))) else { return 0 }
    self.last = count
    forget()
    return missing
  }

  private mutating func forget() {
    before = packets.last?.arrival ?? before
    packets.removeAll(keepingCapacity: true)
    waiting = nil
  }
}
