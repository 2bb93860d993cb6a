/// The location of a board on the body, which determines the signal of a step.
public enum Wear: Hashable, Sendable {
  /// The board is on a leg, which moves mainly with its own steps. The signal repeats once per
  /// stride.
  case leg
  /// The board is on the trunk or the head, which moves with every step. The signal repeats once
  /// per step.
  case trunk

  /// Words in a placement that denote locations on the trunk or the head.
  private static let trunkWords = [
    "back", "belt", "breast", "chest", "head", "hip", "lumbar", "pelvis", "sacrum", "sternum",
    "torso", "trunk", "waist",
  ]

  /// Interprets a placement in the user's words. The location is a leg unless a word denotes the
  /// trunk or the head, since most walkers strap their boards to a leg.
  public init(placement: String) {
    let words = placement.lowercased().split { !$0.isLetter }.map(String.init)
    self = words.contains { Self.trunkWords.contains($0) } ? .trunk : .leg
  }

  /// Number of steps per period of the board's signal.
  var stepsPerCycle: Double { self == .leg ? 2 : 1 }

  /// The shortest and the longest period of the board's signal while walking, in seconds.
  var cycleSeconds: ClosedRange<Double> { self == .leg ? 0.56...2.4 : 0.28...1.2 }
}
