/// Counts of a receiver's accepted and ignored sentences, and of its refused sentences by reason.
public struct SentenceCounts: Equatable, Sendable {
  /// Number of sentences that were parsed and used.
  public internal(set) var accepted = 0
  /// Number of intact sentences of types that are not used.
  public internal(set) var ignored = 0
  /// Number of bytes received outside any sentence, except line ends.
  public internal(set) var strayBytes = 0
  // A fixed array, so a copy for another thread shares no storage with the original.
  private var faults = InlineArray<13, Int>(repeating: 0)

  init() {}

  public subscript(fault: SentenceFault) -> Int {
    faults[fault.position]
  }

  /// Number of lines refused for any reason.
  public var refused: Int {
    var sum = 0
    for position in faults.indices { sum += faults[position] }
    return sum
  }

  /// Omits reasons that never occurred.
  public var refusals: [(fault: SentenceFault, count: Int)] {
    SentenceFault.allCases.filter { self[$0] > 0 }.map { ($0, self[$0]) }
  }

  public static func == (left: SentenceCounts, right: SentenceCounts) -> Bool {
    left.accepted == right.accepted && left.ignored == right.ignored
      && left.strayBytes == right.strayBytes
      && left.faults.indices.allSatisfy { left.faults[$0] == right.faults[$0] }
  }

  mutating func count(_ fault: SentenceFault) {
    faults[fault.position] += 1
  }
}
