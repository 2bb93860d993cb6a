internal import Values

/// The way a board's notifications reach us, and the alternative when that way is refused.
enum SubscriptionWay: Hashable, Sendable {
  /// Over a private descriptor, past the bus.
  case descriptor
  /// As signals of the bus, which cost several times more.
  case signals

  /// The next step when this way was refused.
  enum Next: Hashable {
    /// Try the other way, over the same link.
    case signals
    /// The daemon believes that it gave the descriptor away. Only a new link to a device that the
    /// daemon has forgotten helps; after that, by signals.
    case renewal
    /// Pair the board, then try again.
    case pairing
    /// Another program on this computer receives the notifications.
    case held
    /// The link is gone.
    case linkLost
    /// Give up.
    case failure
  }

  /// Decides by the daemon's error, and by whether it notified a client before we asked.
  func next(after refusal: Refusal, isNotifying: Bool) -> Next {
    switch refusal.kind {
    case .notPaired, .peer(0x05), .peer(0x0f): .pairing
    // A daemon that returns may have kept the link; the state is examined after that.
    case .linkLost, .daemonLost: .linkLost
    // A client that holds the descriptor gets all notifications. A client that is already notified
    // configures the board for its own purposes.
    case .held where refusal.text.holds("acquired"): .held
    case .underWay where isNotifying: .held
    case _ where self == .signals: .failure
    case .unanswered: .renewal
    case .underWay, .held, .notSupported, .gone: .signals
    default: .failure
    }
  }
}
