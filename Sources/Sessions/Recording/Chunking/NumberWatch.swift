internal import Values

/// Judges the number of a sample by the numbers and the time before it.
///
/// A corrupt number must lose only its own packet. If the watch accepted one that is far too high,
/// all correct ones after it would count as repetitions. A numbering that really restarts elsewhere
/// continues from there. A number too far ahead for its time is doubtful until the next packet,
/// whose number is above a correct number and below a corrupt one.
struct NumberWatch: Sendable {
  enum Verdict: Hashable, Sendable {
    /// It follows the number before; `missing` numbers are left out between them.
    case follows(missing: UInt32)
    /// It is too far ahead for the time since the previous sample; `settle` decides.
    case doubtful
    /// It was already in the stream, or was counted as missing.
    case repeated
    /// No sample at this time can have this number.
    case impossible
    /// The board has started another numbering, of which this is no longer the first number.
    case renumbered
  }

  /// The verdict of the next number on doubtful ones.
  enum Settlement: Hashable, Sendable {
    /// Undecided.
    case open
    /// The numbers were correct: `missing` numbers are left out before them.
    case right(missing: UInt32)
    /// Their packet had a corrupt number.
    case spoiled
  }

  /// The most samples in one packet.
  static let packetSamples = 3
  /// Seconds by which the previous sample may have been late, and the factor by which a board may
  /// be faster than configured.
  private static let slackSeconds = 10.0
  private static let slackRate = 1.25
  /// Numbers that are ahead by at most this, a few packets, are always accepted.
  private static let slackNumbers = 64.0
  /// Samples, and seconds, for which another numbering must continue before it is accepted.
  private static let provingSamples = 8
  private static let provingSeconds = 1.0

  private let rate: Double
  private var last: (number: UInt32, arrival: BootTime)?
  /// The doubtful numbers of one packet.
  private var doubt: (first: UInt32, last: UInt32, arrival: BootTime)?
  /// The numbers left out by the latest jump: the first of them and their count.
  private var skipped: (first: UInt32, count: UInt32) = (0, 0)
  /// A numbering that does not follow, up to its latest number.
  private var stray: (number: UInt32, arrival: BootTime, began: BootTime, samples: Int)?

  /// A watch over a stream of this many samples a second.
  init(rate: Double) {
    self.rate = rate
  }

  /// Judges the number of the next sample; while a sample is doubtful, call `settle` before.
  ///
  /// - Parameter mayDoubt: whether the sample can be kept until the next packet.
  mutating func judge(
    _ number: UInt32, at arrival: BootTime, mayDoubt: Bool = true
  ) -> Verdict {
    if isOfDoubtfulPacket(number, at: arrival) {
      doubt?.last = number
      return .doubtful
    }
    guard let last else {
      self.last = (number, arrival)
      return .follows(missing: 0)
    }
    if let missing = steps(from: last, to: number, at: arrival) {
      let expected = max(0, arrival.seconds(since: last.arrival)) * rate * Self.slackRate
      if mayDoubt, doubt == nil, missing > 0, Double(missing) + 1 > expected {
        doubt = (number, number, arrival)
        return .doubtful
      }
      if missing > 0 { skipped = (last.number &+ 1, missing) }
      self.last = (number, arrival)
      stray = nil
      return .follows(missing: missing)
    }
    if number == last.number || number &- skipped.first < skipped.count { return .repeated }
    guard let former = stray,
      steps(from: (former.number, former.arrival), to: number, at: arrival) != nil
    else {
      stray = (number, arrival, arrival, 1)
      return refusal(of: number, after: last.number)
    }
    stray = (number, arrival, former.began, former.samples + 1)
    guard former.samples >= Self.provingSamples,
      arrival.seconds(since: former.began) >= Self.provingSeconds
    else { return refusal(of: number, after: last.number) }
    restart()
    self.last = (number, arrival)
    return .renumbered
  }

  /// The verdict of the next sample's number on the doubtful ones before it.
  mutating func settle(before number: UInt32, at arrival: BootTime) -> Settlement {
    guard let last, let doubt, !isOfDoubtfulPacket(number, at: arrival) else { return .open }
    if steps(from: (doubt.last, doubt.arrival), to: number, at: arrival) != nil { return believe() }
    guard steps(from: last, to: number, at: arrival) != nil else { return .open }
    self.doubt = nil
    return .spoiled
  }

  /// Accepts the doubtful numbers if no further number can decide.
  mutating func believe() -> Settlement {
    guard let last, let doubt else { return .open }
    let missing = doubt.first &- last.number &- 1
    skipped = (last.number &+ 1, missing)
    self.last = (doubt.last, doubt.arrival)
    self.doubt = nil
    stray = nil
    return .right(missing: missing)
  }

  private func isOfDoubtfulPacket(_ number: UInt32, at arrival: BootTime) -> Bool {
    guard let doubt, arrival == doubt.arrival else { return false }
    return number == doubt.last &+ 1 && number &- doubt.first < UInt32(Self.packetSamples)
  }

  /// Discards the numbering: the next number starts another.
  mutating func restart() {
    last = nil
    doubt = nil
    stray = nil
    skipped = (0, 0)
  }

  /// Numbers missing between two samples; `nil` if the second cannot follow the first.
  private func steps(
    from former: (number: UInt32, arrival: BootTime), to number: UInt32, at arrival: BootTime
  ) -> UInt32? {
    let step = number &- former.number
    guard (1...UInt32.max / 2).contains(step) else { return nil }
    let seconds = max(0, arrival.seconds(since: former.arrival)) + Self.slackSeconds
    guard Double(step) <= seconds * rate * Self.slackRate + Self.slackNumbers else { return nil }
    return step - 1
  }

  private func refusal(of number: UInt32, after last: UInt32) -> Verdict {
    number &- last > UInt32.max / 2 ? .repeated : .impossible
  }
}
