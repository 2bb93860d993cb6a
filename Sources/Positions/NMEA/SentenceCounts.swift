/// How many sentences a receiver sent, and how many of them were refused, by reason.
public struct SentenceCounts: Equatable, Sendable {
  /// Sentences that were read and used.
  public internal(set) var accepted = 0
  /// Intact sentences of types that are not for us.
  public internal(set) var ignored = 0
  /// Bytes outside any sentence, line ends not counted.
  public internal(set) var strayBytes = 0
  // A fixed array, so that a copy for another thread shares nothing with this one.
  private var faults = InlineArray<13, Int>(repeating: 0)

  init() {}

  /// Lines refused for one reason.
  public subscript(fault: SentenceFault) -> Int {
    faults[fault.position]
  }

  /// Lines refused for whatever reason.
  public var refused: Int {
    var sum = 0
    for position in faults.indices { sum += faults[position] }
    return sum
  }

  /// The reasons for which any line was refused, with how many.
  public var refusals: [(fault: SentenceFault, count: Int)] {
    SentenceFault.allCases.filter { self[$0] > 0 }.map { ($0, self[$0]) }
  }

  /// Whether two receivers fared the same.
  public static func == (left: SentenceCounts, right: SentenceCounts) -> Bool {
    left.accepted == right.accepted && left.ignored == right.ignored
      && left.strayBytes == right.strayBytes
      && left.faults.indices.allSatisfy { left.faults[$0] == right.faults[$0] }
  }

  mutating func count(_ fault: SentenceFault) {
    faults[fault.position] += 1
  }
}
