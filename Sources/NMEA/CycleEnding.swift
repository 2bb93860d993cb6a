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

  /// Notes how a cycle ended. Two in a row that ended alike make the ending known; a single one
  /// that differs may just have lost its last sentence.
  mutating func observe(_ ending: Sentence) {
    if candidate == ending { learned = ending }
    candidate = ending
  }

  /// Forgets it: something followed what was taken for the end.
  mutating func forget() {
    learned = nil
    candidate = nil
  }
}
