internal import Values

/// The board's own count of a stream's samples, against the samples that arrived.
///
/// A board counts the samples that it makes, and answers with the count once a second, in the order
/// of its packets. So the difference to the samples that arrived before an answer is exactly the
/// number of samples lost so far. Timing then only says between which packets (`LossPlaces`).
struct BoardTally: Sendable {
  /// A count that an answer brought.
  struct Count: Hashable, Sendable {
    /// Samples made.
    var made: UInt32
    /// Samples that the gateway received by then, unreadable ones included.
    var received: UInt32
    /// When the answer arrived.
    var arrival: BootTime

    /// Samples that are missing, modulo 2³².
    var missing: UInt32 { made &- received }
  }

  /// Seconds without an answer, while samples arrive, after which timing judges again.
  private static let patience = 5.0
  /// The factor by which a board may be faster than configured, and the seconds by which an answer
  /// may be late.
  private static let slackRate = 1.25
  private static let slackSeconds = 0.5
  /// Seconds by which the first packet of a link may be late.
  private static let lateSeconds = 0.06
  /// Seconds for which all may be lost before the first sample.
  private static let firstSeconds = 10.0
  /// The most packets since an answer that are looked at: half a minute of a fast stream.
  private static let mostPackets = 4_096

  private let rate: Double
  /// Whether the packets carry no number, so that it has to be found where samples are missing.
  private let findsPlaces: Bool
  /// The last count that was believed, or the start of the board's numbering.
  private var last: Count?
  /// Missing samples that were counted otherwise since.
  private var credit: UInt32 = 0
  /// The first sample of a numbering that began again, and how many samples before it may have been
  /// counted as lost already.
  private var first: (arrival: BootTime, most: UInt32)?
  /// Whether the numbering began with this stream, so that every sample of it was made since.
  private var isWhole = false
  /// Whether the count contradicts the samples: it is of no use then.
  private var isRefuted = false
  /// The last sample's number as the board's numbering has it.
  private(set) var raw: UInt32?
  /// The arrivals of the first and the last sample since the last answer.
  private var waiting: (first: BootTime, last: BootTime)?
  /// Arrival of the last packet before the last answer.
  private(set) var before: BootTime?
  /// The packets since the last answer.
  private(set) var packets: [LossPlaces.Packet] = []

  /// The count beside a stream.
  init(_ stream: StreamDescription) {
    rate = stream.rate
    findsPlaces = stream.isTallied
  }

  /// Whether answers have come of late, so that timing has nothing to infer.
  var isAlive: Bool {
    guard last != nil, !isRefuted else { return false }
    return waiting.map { $0.last.seconds(since: $0.first) < Self.patience } ?? true
  }

  /// Whether an answer came after every sample so far.
  var isUpToDate: Bool { last != nil && !isRefuted && waiting == nil }

  /// Notes a sample: its number as the board's numbering has it, its number as stored, its arrival.
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

  /// Whether the first answer may still come.
  private var isAwaited: Bool {
    waiting.map { $0.last.seconds(since: $0.first) < Self.patience } ?? true
  }

  /// Begins with a count: samples that were missing by then do not matter.
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
    // No answer yet, so timing judges the samples before.
    waiting = (time, time)
  }

  /// Whether a packet that arrived then waits for the next answer.
  func holds(_ arrival: BootTime) -> Bool {
    waiting.map { $0.first <= arrival && arrival <= $0.last } ?? false
  }

  /// Raises the numbers of the packets that wait, from one of them on.
  mutating func renumber(from arrival: BootTime, by samples: UInt32) {
    for place in packets.indices where packets[place].arrival >= arrival {
      packets[place].number &+= samples
    }
  }

  /// Notes missing samples that were counted without the board's count.
  mutating func note(lost samples: UInt32) { credit &+= samples }

  /// Notes the first sample of a numbering that began again: the time before it was counted, and so
  /// were the samples that the board made in it.
  mutating func noteFirst(at arrival: BootTime, mayHaveLost most: UInt32) {
    first = (arrival, most)
  }

  /// The samples made before the first one that arrived, by a later count: so many more than the
  /// time since it allows. A first packet may be late itself.
  private func made(before first: BootTime, by count: Count) -> Double {
    let since = count.arrival.seconds(since: first) * rate + 1
    let before = Double(count.made) - since
    return before > Self.lateSeconds * rate + Double(LossPlaces.mostInPacket)
      ? before.rounded() : 0
  }

  /// Takes an answer, and returns the number of samples that are missing since the one before.
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
      // The samples before belong to no session.
      last = count
      forget()
      return 0
    }
    let more = Int32(bitPattern: count.missing &- former.missing)
    let most = seconds * rate * Self.slackRate + slack
    // A loss that the time does not allow is not believed.
    guard Double(more) <= most else { return 0 }
    defer { forget() }
    guard more > 0 else {
      // An estimate was too high, or the answer is a little late.
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

  /// Takes the count at the end of a stream whose packets carry the board's numbers, and returns
  /// how many samples are missing behind the last one, which arrived at `last`.
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
