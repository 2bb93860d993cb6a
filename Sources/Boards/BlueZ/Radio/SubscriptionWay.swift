internal import Values

/// The delivery method for a board's notifications.
enum SubscriptionWay: Hashable, Sendable {
  /// Notifications arrive over a private descriptor that bypasses the bus.
  case descriptor
  /// Notifications arrive as bus signals, which need several times as much processing.
  case signals

  /// The next step after the daemon refuses a subscription method.
  enum Next: Hashable {
    /// Use signals instead of the descriptor, over the same link.
    case signals
    /// Close the link and make the daemon forget the device, because the daemon believes that it
    /// has already handed out the descriptor. If the next link is refused too, use signals.
    case renewal
    /// Pair the board, then try again.
    case pairing
    /// Give up: another program on this computer receives the notifications.
    case held
    /// Wait for the next link, because this one is down.
    case linkLost
    /// Give up after any other error.
    case failure
  }

  /// Returns the next step, based on the daemon's error and on whether the characteristic was
  /// already sending notifications to a client.
  func next(after refusal: Refusal, isNotifying: Bool) -> Next {
    switch refusal.kind {
    case .notPaired, .peer(0x05), .peer(0x0f): .pairing
    // A restarted daemon may have kept the link, so the link's state is checked again later.
    case .linkLost, .daemonLost: .linkLost
    // Another client owns the descriptor or already receives the notifications. It has configured
    // the board for its own purposes.
    case .held where refusal.text.holds("acquired"): .held
    case .underWay where isNotifying: .held
    case _ where self == .signals: .failure
    case .unanswered: .renewal
    case .underWay, .held, .notSupported, .gone: .signals
    default: .failure
    }
  }
}
