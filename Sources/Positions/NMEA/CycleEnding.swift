/// Learns which sentence ends a receiver's cycle. A fix can then be published when that sentence
/// arrives, before the next cycle starts.
struct CycleEnding: Sendable {
  /// Identifies the last sentence of a cycle by its kind and by the number of sentences of that
  /// kind in the cycle. For example, the cycle of a receiver with four constellations may end with
  /// the fourth GSA.
  struct Sentence: Hashable, Sendable {
    var kind: ParsedSentence.Kind
    var repetitions: Int
  }

  private(set) var learned: Sentence?
  private var candidate: Sentence?
  /// Number of consecutive cycles that ended with `candidate`. After `required` such cycles, the
  /// ending is learned.
  private var alike = 0
  private var required = 2
  /// The kinds of sentence that a cycle with the learned ending contains.
  private var kinds = KindSet()

  /// Records how a cycle ended and which kinds of sentence it contained. At first, an ending is
  /// learned after two consecutive cycles with the same ending. One cycle is not enough, because
  /// its last sentence may have been lost.
  mutating func observe(_ ending: Sentence, of kinds: KindSet) {
    alike = candidate == ending ? alike + 1 : 1
    candidate = ending
    if alike >= required {
      learned = ending
      self.kinds = kinds
    }
  }

  /// Returns whether `ending` completes a cycle that contains these kinds of sentence. Returns
  /// `false` if any usual kind is missing, because a lost sentence can make the order appear
  /// shifted.
  func isReached(_ ending: Sentence, of kinds: KindSet) -> Bool {
    learned == ending && kinds.contains(self.kinds)
  }

  /// Discards the learned ending, because another sentence of the same cycle followed it.
  ///
  /// Learning the next ending requires twice as many cycles. Otherwise, a receiver that sends
  /// additional sentences every five seconds would repeatedly make the program learn an incorrect
  /// ending.
  mutating func forget() {
    learned = nil
    candidate = nil
    alike = 0
    required = min(2 * required, 1_024)
  }
}

struct KindSet: Hashable, Sendable {
  private var bits: UInt16 = 0

  mutating func insert(_ kind: ParsedSentence.Kind) { bits |= 1 << UInt16(kind.rawValue) }
  func contains(_ kind: ParsedSentence.Kind) -> Bool { bits & 1 << UInt16(kind.rawValue) != 0 }
  func contains(_ others: KindSet) -> Bool { bits & others.bits == others.bits }
}
