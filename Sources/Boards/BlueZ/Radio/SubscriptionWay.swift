/// How the notifications of a board reach us, and what is tried when one way is refused.
enum SubscriptionWay: Hashable, Sendable {
  /// Over a descriptor of ours alone, past the bus.
  case descriptor
  /// As signals of the bus, which cost several times more.
  case signals

  /// What to do when this way was refused.
  enum Next: Hashable {
    /// Try the other way, over the same link.
    case signals
    /// The daemon believes that it gave the descriptor away: only another link, to a device it has
    /// forgotten, helps. Then by signals.
    case renewal
    /// Pair the board, then try again.
    case pairing
    /// Another program on this computer has them.
    case held
    /// The link is gone.
    case linkLost
    /// Give up.
    case failure
  }

  /// By the daemon's error, and whether a client was being notified before we asked.
  func next(after refusal: Refusal, isNotifying: Bool) -> Next {
    switch refusal.kind {
    case .notPaired, .peer(0x05), .peer(0x0f): .pairing
    // A daemon that returns may have kept the link, which is looked at then.
    case .linkLost, .daemonLost: .linkLost
    // Whoever holds the descriptor gets all of them, and whoever is notified already configures the
    // board for purposes of its own.
    case .held where refusal.text.contains("acquired"): .held
    case .underWay where isNotifying: .held
    case _ where self == .signals: .failure
    case .unanswered: .renewal
    case .underWay, .held, .notSupported, .gone: .signals
    default: .failure
    }
  }
}
