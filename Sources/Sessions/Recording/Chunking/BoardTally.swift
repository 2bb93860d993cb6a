internal import Values

/// Compares the board's own count of a stream's samples with the samples that arrived.
///
/// A board counts the samples that it takes, and reports the count once a second, in order with its
/// packets. So the difference from the samples that arrived before a report is exactly the number
/// lost so far. Timing only locates the losses between packets (`LossPlaces`).
struct BoardTally: Sendable {
  /// A reported count.
  struct Count: Hashable, Sendable {
    /// Samples that the board took.
    var made: UInt32
    /// Samples that the gateway had received by then, unreadable ones included.
    var received: UInt32
    /// Arrival of the report.
    var arrival: BootTime

    /// Samples that are missing, modulo 2³².
    var missing: UInt32 { made &- received }
  }

  /// Seconds without a report, while samples arrive, after which timing is used again.
  private static let patience = 5.0
  /// The factor by which a board may be faster than configured, and the seconds by which a report
  /// may be late.
  private static let slackRate = 1.25
  private static let slackSeconds = 0.5
  /// Seconds by which the first packet of a link may be late.
  private static let lateSeconds = 0.06
  /// Seconds during which all samples may be lost before the first one.
  private static let firstSeconds = 10.0
  /// The most packets since a report that are considered: half a minute of a fast stream.
  private static let mostPackets = 4_096

  private let rate: Double
  /// Whether the packets carry no number, so that losses must be located.
  private let findsPlaces: Bool
  /// The last count that was accepted, or the start of the board's numbering.
  private var last: Count?
  /// Missing samples that were counted by other means since.
  private var credit: UInt32 = 0
  /// The first sample of a new numbering, and how many samples before it may already have been
  /// counted as lost.
  private var first: (arrival: BootTime, most: UInt32)?
  /// Whether the numbering began with this stream, so that all its samples belong to the stream.
  private var isWhole = false
  /// Whether the count contradicts the samples, which makes it useless.
  private var isRefuted = false
  /// The last sample's number in the board's numbering.
  private(set) var raw: UInt32?
  /// The arrivals of the first and the last sample since the last report.
  private var waiting: (first: BootTime, last: BootTime)?
  /// Arrival of the last packet before the last report.
  private(set) var before: BootTime?
  /// The packets since the last report.
  private(set) var packets: [LossPlaces.Packet] = []

  init(_ stream: StreamDescription) {
    rate = stream.rate
    findsPlaces = stream.isTallied
  }

  /// Whether recent reports leave nothing for timing to infer.
  var isAlive: Bool {
    guard last != nil, !isRefuted else { return false }
    return waiting.map { $0.last.seconds(since: $0.first) < Self.patience } ?? true
  }

  /// Whether a report came after every sample so far.
  var isUpToDate: Bool { last != nil && !isRefuted && waiting == nil }

  /// Notes a sample: its number in the board's numbering, its stored number and its arrival.
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

  /// Whether the first report may still come.
  private var isAwaited: Bool {
    waiting.map { $0.last.seconds(since: $0.first) < Self.patience } ?? true
  }

  /// Begins with a count: samples missing before it do not matter.
  mutating func begin(_ count: Count) {
    last = count
    forget()
  }

  /// Notes that the board's numbering has begun again, at zero.
  mutating func restart(at time: BootTime) {
    last = Count(made: 0, received: 0, arrival: time)
    credit = 0
    isRefuted = false
    raw = nil
    first = nil
    forget()
    // There is no report yet, so timing is used for the samples before.
    waiting = (time, time)
  }

  /// Whether a packet that arrived then waits for the next report.
  func holds(_ arrival: BootTime) -> Bool {
    waiting.map { $0.first <= arrival && arrival <= $0.last } ?? false
  }

  /// Raises the numbers of the waiting packets, from one of them on.
  mutating func renumber(from arrival: BootTime, by samples: UInt32) {
    for place in packets.indices where packets[place].arrival >= arrival {
      packets[place].number &+= samples
    }
  }

  /// Notes missing samples that were counted without the board's count.
  mutating func note(lost samples: UInt32) { credit &+= samples }

  /// Notes the first sample of a new numbering. The time before it was counted, and so were the
  /// samples that the board took in that time.
  mutating func noteFirst(at arrival: BootTime, mayHaveLost most: UInt32) {
    first = (arrival, most)
  }

  /// The samples taken before the first one that arrived: the excess of a later count over the
  /// number that the time since allows. The first packet itself may be late.
  private func made(before first: BootTime, by count: Count) -> Double {
    let since = count.arrival.seconds(since: first) * rate + 1
    let before = Double(count.made) - since
    return before > Self.lateSeconds * rate + Double(LossPlaces.mostInPacket)
      ? before.rounded() : 0
  }

  /// Takes a report, and returns the number of samples missing since the previous one.
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
      // Samples before it belong to no session.
      last = count
      forget()
      return 0
    }
    let more = Int32(bitPattern: count.missing &- former.missing)
    let most = seconds * rate * Self.slackRate + slack
    // A loss too large for the elapsed time is rejected.
    guard Double(more) <= most else { return 0 }
    defer { forget() }
    guard more > 0 else {
      // An estimate was too high, or the report is slightly late.
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

  /// Takes the count at the end of a stream whose packets carry the board's numbers. Returns the
  /// number of samples missing after the last one, which arrived at `last`.
  mutating func takeLast(_ count: Count, after last: BootTime) -> UInt32 {
    let seconds = max(0, count.arrival.seconds(since: last))
    let most = seconds * rate * Self.slackRate + Double(LossPlaces.mostInPacket)
    // Timing may have found whole cycles of a narrow counter.
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
