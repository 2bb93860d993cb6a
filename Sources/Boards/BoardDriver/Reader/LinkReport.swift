/// A requested link interval, and its effect.
public struct LinkReport: Hashable, Sendable {
  /// The interval asked for.
  public var requested: LinkPace
  /// The interval achieved; `nil` until the packets show it.
  public var achieved: AchievedInterval?

  public init(requested: LinkPace, achieved: AchievedInterval?) {
    self.requested = requested
    self.achieved = achieved
  }

  /// Whether the link has the requested interval, as far as known.
  public var isAsRequested: Bool {
    switch achieved {
    case .measured(let milliseconds):
      Self.tolerated.contains(milliseconds / requested.milliseconds)
    // The interval may be shorter than the packets show, but not longer.
    case .atMost(let milliseconds):
      milliseconds / requested.milliseconds >= Self.tolerated.lowerBound
    case nil: true
    }
  }

  /// Intervals come in steps of 1.25 ms, a sixth of the shortest.
  private static let tolerated = 0.85...1.15

  /// The interval asked for, as in `7.5 ms`.
  public var requestedText: String { Self.text(requested.milliseconds) }

  /// The interval achieved, as in `11.2 ms`.
  public var achievedText: String {
    switch achieved {
    case .measured(let milliseconds): Self.text(milliseconds)
    case .atMost(let milliseconds): "at most \(Self.text(milliseconds))"
    case nil: "unknown"
    }
  }

  /// Both, as in `requested 7.5 ms / achieved 11.2 ms`.
  public var text: String { "requested \(requestedText) / achieved \(achievedText)" }

  private static func text(_ milliseconds: Double) -> String {
    "\((milliseconds * 10).rounded() / 10) ms"
  }
}
