/// A fact that an audit found, described in words.
public struct AuditFinding: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case unreadable, cutOff, damagedLines, joinedFiles, twoEpochs, computedTimes, arrivalTimes
    case otherRate, gaps, hiddenLoss, drift, backwardTimes, duplicateRows, clipped, constant
    case notWorn, elapsedTime
    case decimalComma, otherOffset, countDifference, trueRate, assumedRate, evenTimes
    case tooShort, unknown

    /// Whether a recording with such a finding is unsound. The other kinds are remarks.
    public var isFault: Bool {
      ![
        .decimalComma, .otherOffset, .countDifference, .trueRate, .assumedRate, .evenTimes,
        .tooShort, .unknown,
      ].contains(self)
    }
  }

  public var kind: Kind
  /// The sensor, or the name of the file; `nil` for a finding about several files.
  public var subject: String?
  /// A clause without a full stop.
  public var text: String

  public init(_ kind: Kind, _ subject: String? = nil, _ text: String) {
    (self.kind, self.subject, self.text) = (kind, subject, text)
  }
}
