internal import NMEA

/// Counts of a source's accepted and refused sentences, summed over all its readers.
struct SentenceTally: Sendable {
  private var good = 0
  private var faults: [SentenceFault: Int] = [:]

  /// Adds the counts of a reader that has ended.
  mutating func close(_ counts: SentenceCounts) {
    good += counts.accepted + counts.ignored
    faults.merge(Self.faults(of: counts), uniquingKeysWith: +)
  }

  /// Adds the totals to the status, including the current reader's counts.
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
