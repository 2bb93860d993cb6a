internal import NMEA

/// The sentences of a source, taken and refused, over all the readers it had.
struct SentenceTally: Sendable {
  private var good = 0
  private var faults: [SentenceFault: Int] = [:]

  /// Adds what a reader counted that is not going on.
  mutating func close(_ counts: SentenceCounts) {
    good += counts.accepted + counts.ignored
    faults.merge(Self.faults(of: counts), uniquingKeysWith: +)
  }

  /// Tells the sums with those of the present reader.
  func describe(_ status: inout ReceiverStatus, with counts: SentenceCounts) {
    status.goodSentences = good + counts.accepted + counts.ignored
    status.faults = faults.merging(Self.faults(of: counts), uniquingKeysWith: +)
    status.badSentences = status.faults.values.reduce(0, +)
  }

  private static func faults(of counts: SentenceCounts) -> [SentenceFault: Int] {
    var faults: [SentenceFault: Int] = [:]
    for fault in SentenceFault.allCases where counts[fault] > 0 { faults[fault] = counts[fault] }
    return faults
  }
}
