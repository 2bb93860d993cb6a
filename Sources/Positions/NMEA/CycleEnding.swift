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
  /// Cycles that ended like the candidate, one after the other, and how many of them are believed.
  private var alike = 0
  private var required = 2
  /// What the cycles that ended so consisted of.
  private var kinds = KindSet()

  /// Notes how a cycle ended and which kinds were in it. Two in a row that ended alike make the
  /// ending known; a single one that differs may just have lost its last sentence.
  mutating func observe(_ ending: Sentence, of kinds: KindSet) {
    alike = candidate == ending ? alike + 1 : 1
    candidate = ending
    if alike >= required {
      learned = ending
      self.kinds = kinds
    }
  }

  /// Whether a cycle of these kinds that has come to this sentence is over. One that lacks a
  /// kind is not believed: after a lost sentence the order may look shifted.
  func isReached(_ ending: Sentence, of kinds: KindSet) -> Bool {
    learned == ending && kinds.contains(self.kinds)
  }

  /// Forgets it: a sentence followed the supposed end.
  ///
  /// A receiver that says more every fifth second would be misjudged again and again, so it takes
  /// twice as many cycles the next time.
  mutating func forget() {
    learned = nil
    candidate = nil
    alike = 0
    required = min(2 * required, 1_024)
  }
}

/// Kinds of sentence.
struct KindSet: Hashable, Sendable {
  private var bits: UInt16 = 0

  mutating func insert(_ kind: ParsedSentence.Kind) { bits |= 1 << UInt16(kind.rawValue) }
  func contains(_ kind: ParsedSentence.Kind) -> Bool { bits & 1 << UInt16(kind.rawValue) != 0 }
  func contains(_ others: KindSet) -> Bool { bits & others.bits == others.bits }
}
