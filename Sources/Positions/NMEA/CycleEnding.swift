/// Learns the last sentence of a receiver's cycle, so that a fix can be published at once instead
/// of at the next second.
struct CycleEnding: Sendable {
  /// The last sentence of a cycle: its kind, and the number of that kind in the cycle. A receiver
  /// of four constellations ends with its fourth GSA.
  struct Sentence: Hashable, Sendable {
    var kind: ParsedSentence.Kind
    var repetitions: Int
  }

  private(set) var learned: Sentence?
  private var candidate: Sentence?
  /// Consecutive cycles with the candidate's ending; `required` of them make it known.
  private var alike = 0
  private var required = 2
  /// The kinds of sentence in cycles with the learned ending.
  private var kinds = KindSet()

  /// Notes a cycle's ending and kinds of sentence. At first, two consecutive cycles with the same
  /// ending make it known; a single different one may just have lost its last sentence.
  mutating func observe(_ ending: Sentence, of kinds: KindSet) {
    alike = candidate == ending ? alike + 1 : 1
    candidate = ending
    if alike >= required {
      learned = ending
      self.kinds = kinds
    }
  }

  /// Whether a cycle with these kinds ends with this sentence. A cycle that lacks a kind does not
  /// count: after a lost sentence the order may appear shifted.
  func isReached(_ ending: Sentence, of kinds: KindSet) -> Bool {
    learned == ending && kinds.contains(self.kinds)
  }

  /// Forgets the ending, because a sentence followed it.
  ///
  /// A receiver with additional sentences every fifth second would be misjudged again and again, so
  /// the next learning takes twice as many cycles.
  mutating func forget() {
    learned = nil
    candidate = nil
    alike = 0
    required = min(2 * required, 1_024)
  }
}

/// A set of kinds of sentence.
struct KindSet: Hashable, Sendable {
  private var bits: UInt16 = 0

  mutating func insert(_ kind: ParsedSentence.Kind) { bits |= 1 << UInt16(kind.rawValue) }
  func contains(_ kind: ParsedSentence.Kind) -> Bool { bits & 1 << UInt16(kind.rawValue) != 0 }
  func contains(_ others: KindSet) -> Bool { bits & others.bits == others.bits }
}
