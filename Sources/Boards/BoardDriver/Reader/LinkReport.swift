/// Compares the connection interval requested for a link with the interval achieved.
public struct LinkReport: Hashable, Sendable {
  public var requested: LinkPace
  /// The interval achieved, or `nil` until the packets reveal it.
  public var achieved: AchievedInterval?

  public init(requested: LinkPace, achieved: AchievedInterval?) {
    self.requested = requested
    self.achieved = achieved
  }

  /// Whether the link has the requested interval. True if the interval has not yet been measured.
  public var isAsRequested: Bool {
    switch achieved {
    case .measured(let milliseconds):
      Self.tolerated.contains(milliseconds / requested.milliseconds)
    // The packets show only an upper limit, so the actual interval may be shorter but not longer.
    case .atMost(let milliseconds):
      milliseconds / requested.milliseconds >= Self.tolerated.lowerBound
    case nil: true
    }
  }

  /// Accepted ratios of the achieved interval to the requested interval. Intervals are multiples of
  /// 1.25 ms, which is a sixth of the shortest one.
  private static let tolerated = 0.85...1.15

  /// The requested interval, such as `7.5 ms`.
  public var requestedText: String { Self.text(requested.milliseconds) }

  /// The achieved interval, such as `11.2 ms`.
  public var achievedText: String {
    switch achieved {
    case .measured(let milliseconds): Self.text(milliseconds)
    case .atMost(let milliseconds): "at most \(Self.text(milliseconds))"
    case nil: "unknown"
    }
  }

  /// Both intervals, such as `requested 7.5 ms / achieved 11.2 ms`.
  public var text: String { "requested \(requestedText) / achieved \(achievedText)" }

  private static func text(_ milliseconds: Double) -> String {
    "\((milliseconds * 10).rounded() / 10) ms"
  }
}
