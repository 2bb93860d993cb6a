/// Numbers of a receiver's sentences: accepted, ignored, and refused by reason.
public struct SentenceCounts: Equatable, Sendable {
  /// Sentences that were read and used.
  public internal(set) var accepted = 0
  /// Intact sentences of types that are not used here.
  public internal(set) var ignored = 0
  /// Bytes outside any sentence, except line ends.
  public internal(set) var strayBytes = 0
  // A fixed array, so that a copy for another thread shares nothing with this one.
  private var faults = InlineArray<13, Int>(repeating: 0)

  init() {}

  /// Number of lines refused for one reason.
  public subscript(fault: SentenceFault) -> Int {
    faults[fault.position]
  }

  /// Number of lines refused for any reason.
  public var refused: Int {
    var sum = 0
    for position in faults.indices { sum += faults[position] }
    return sum
  }

  /// The reasons for refusals, with their numbers.
  public var refusals: [(fault: SentenceFault, count: Int)] {
    SentenceFault.allCases.filter { self[$0] > 0 }.map { ($0, self[$0]) }
  }

  /// Whether all counts are equal.
  public static func == (left: SentenceCounts, right: SentenceCounts) -> Bool {
    left.accepted == right.accepted && left.ignored == right.ignored
      && left.strayBytes == right.strayBytes
      && left.faults.indices.allSatisfy { left.faults[$0] == right.faults[$0] }
  }

  mutating func count(_ fault: SentenceFault) {
    faults[fault.position] += 1
  }
}
