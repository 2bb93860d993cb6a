/// Where a board is worn, as far as it changes what a step looks like to it.
public enum Wear: Hashable, Sendable {
  /// On a leg, which feels its own step and hardly the other one: a stride.
  case leg
  /// On the trunk or the head, which feel each step.
  case trunk

  /// Words for places that feel each step.
  private static let trunkWords = [
    "back", "belt", "breast", "chest", "head", "hip", "lumbar", "pelvis", "sacrum", "sternum",
    "torso", "trunk", "waist",
  ]

  /// Reads a placement as people write it; a leg where nothing tells otherwise, since that is where
  /// the boards of walkers are strapped to.
  public init(placement: String) {
    let words = placement.lowercased().split { !$0.isLetter }.map(String.init)
    self = words.contains { Self.trunkWords.contains($0) } ? .trunk : .leg
  }

  /// Steps in one turn of what the board feels.
  var stepsPerCycle: Double { self == .leg ? 2 : 1 }

  /// The shortest and the longest turn of somebody on foot, seconds.
  var cycleSeconds: ClosedRange<Double> { self == .leg ? 0.56...2.4 : 0.28...1.2 }
}
