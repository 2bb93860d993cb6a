/// The place of a board on the body, as far as it affects the signal of a step.
public enum Wear: Hashable, Sendable {
  /// On a leg, which moves mainly with its own steps: one stride.
  case leg
  /// On the trunk or the head, which feel each step.
  case trunk

  /// Words for places that feel each step.
  private static let trunkWords = [
    "back", "belt", "breast", "chest", "head", "hip", "lumbar", "pelvis", "sacrum", "sternum",
    "torso", "trunk", "waist",
  ]

  /// Reads a placement as people write it; a leg unless a word says otherwise, since most walkers
  /// strap their boards there.
  public init(placement: String) {
    let words = placement.lowercased().split { !$0.isLetter }.map(String.init)
    self = words.contains { Self.trunkWords.contains($0) } ? .trunk : .leg
  }

  /// Steps in one period of the board's signal.
  var stepsPerCycle: Double { self == .leg ? 2 : 1 }

  /// The shortest and the longest period of a walker, in seconds.
  var cycleSeconds: ClosedRange<Double> { self == .leg ? 0.56...2.4 : 0.28...1.2 }
}
