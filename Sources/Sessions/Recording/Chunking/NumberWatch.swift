internal import Values

/// Checks whether a sample's number is plausible, given the preceding numbers and the elapsed time.
///
/// A corrupt number must invalidate only its own packet. If the watch accepted a number that is far
/// too high, all the correct numbers after it would seem to be repeated. If a board really restarts
/// its numbering at another number, the watch accepts the new numbering after several samples. A
/// number too far ahead for its time is doubtful until the next packet arrives. If the doubtful
/// number is correct, the next number is higher; if it is corrupt, the next number is lower.
struct NumberWatch: Sendable {
  enum Verdict: Hashable, Sendable {
    /// The number follows the previous one, and `missing` numbers between the two were skipped.
    case follows(missing: UInt32)
    /// The number is too far ahead for the time since the previous sample; `settle` will accept or
    /// reject it.
    case doubtful
    /// The number is already in the stream, or was counted as missing.
    case repeated
    /// The number is too high for a sample at this time.
    case impossible
    /// The board has started another numbering, of which several samples have already arrived.
    case renumbered
  }

  /// The decision on doubtful numbers, which depends on the next number.
  enum Settlement: Hashable, Sendable {
    /// The next number is not yet known, or does not resolve the doubt.
    case open
    /// The doubtful numbers were correct. `missing` numbers before them were skipped.
    case right(missing: UInt32)
    /// The doubtful packet's number was corrupt.
    case spoiled
  }

  /// Maximum number of samples in a packet.
  static let packetSamples = 3
  /// Seconds by which the previous sample may have been late.
  private static let slackSeconds = 10.0
  /// Factor by which a board's rate may exceed the configured rate.
  private static let slackRate = 1.25
  /// A number is always accepted if it is ahead by at most this many samples, which is a few
  /// packets.
  private static let slackNumbers = 64.0
  /// Number of samples for which a different numbering must continue before it is accepted.
  private static let provingSamples = 8
  /// Seconds for which a different numbering must continue before it is accepted.
  private static let provingSeconds = 1.0

  private let rate: Double
  private var last: (number: UInt32, arrival: BootTime)?
  /// The doubtful numbers, all from one packet.
  private var doubt: (first: UInt32, last: UInt32, arrival: BootTime)?
  /// The first number skipped by the latest jump, and the count of skipped numbers.
  private var skipped: (first: UInt32, count: UInt32) = (0, 0)
  /// A numbering that does not continue the stream's numbering: its latest number and arrival time,
  /// the time of its first sample, and its number of samples.
  private var stray: (number: UInt32, arrival: BootTime, began: BootTime, samples: Int)?

  /// `rate` is in samples per second.
  init(rate: Double) {
    self.rate = rate
  }

  /// Checks the number of the next sample. If the previous result was `doubtful`, call `settle`
  /// first.
  ///
  /// - Parameter mayDoubt: whether the caller can hold the sample back until the next packet.
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

  /// Accepts or rejects the doubtful numbers, depending on the number of the next sample.
  mutating func settle(before number: UInt32, at arrival: BootTime) -> Settlement {
    guard let last, let doubt, !isOfDoubtfulPacket(number, at: arrival) else { return .open }
    if steps(from: (doubt.last, doubt.arrival), to: number, at: arrival) != nil { return believe() }
    guard steps(from: last, to: number, at: arrival) != nil else { return .open }
    self.doubt = nil
    return .spoiled
  }

  /// Accepts the doubtful numbers. Returns `open` if there are none.
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

  /// Forgets the current numbering. The next number starts a new one.
  mutating func restart() {
    last = nil
    doubt = nil
    stray = nil
    skipped = (0, 0)
  }

  /// Returns how many numbers are missing between two samples; `nil` if the second sample cannot
  /// follow the first.
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
