/// Learns with which sentence a receiver ends its cycle, so that a fix can be published at once
/// and need not wait for the next second.
struct CycleEnding: Sendable {
  /// The last sentence of a cycle: its kind and how many of that kind the cycle had. A receiver
  /// of four constellations ends with its fourth GSA.
  struct Sentence: Hashable, Sendable {
    var kind: ParsedSentence.Kind
    var repetitions: Int
  }

  private(set) var learned: Sentence?
  private var candidate: Sentence?
  /// What the cycles that ended so consisted of.
  private var kinds = KindSet()

  /// Notes how a cycle ended and what was in it. Two in a row that ended alike make the ending known; a
  /// single one that differs may just have lost its last sentence.
  mutating func observe(_ ending: Sentence, of kinds: KindSet) {
    if candidate == ending {
      learned = ending
      self.kinds = kinds
    }
    candidate = ending
  }

  /// Whether a cycle of these kinds that has come to this sentence is over. One that lacks a
  /// kind is not believed: after a lost sentence the order may look shifted.
  func isReached(_ ending: Sentence, of kinds: KindSet) -> Bool {
    learned == ending && kinds.contains(self.kinds)
  }

  /// Forgets it: something followed what was taken for the end.
  mutating func forget() {
    learned = nil
    candidate = nil
  }
}

/// Kinds of sentence.
struct KindSet: Hashable, Sendable {
  private var bits: UInt16 = 0

  mutating func insert(_ kind: ParsedSentence.Kind) { bits |= 1 << UInt16(kind.rawValue) }
  func contains(_ kind: ParsedSentence.Kind) -> Bool { bits & 1 << UInt16(kind.rawValue) != 0 }
  func contains(_ others: KindSet) -> Bool { bits & others.bits == others.bits }
}
