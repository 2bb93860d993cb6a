/// A BlueZ release to imitate. Releases between two of these cases behave like the older case.
public enum DaemonVersion: String, Hashable, Sendable, CaseIterable {
  /// The release in Debian 12.
  case v5_66 = "5.66"
  /// The release in Ubuntu 24.04.
  case v5_72 = "5.72"
  /// The release in Debian 13.
  case v5_82 = "5.82"
  /// The first release that frees a characteristic when the client stops waiting for the reply to
  /// `AcquireNotify`.
  case v5_84 = "5.84"

  /// The reply to a second `Connect` call while the first is pending. Releases up to 5.80 reply
  /// with `Failed`.
  var connectIsRunning: DaemonError {
    self < .v5_82 ? .failed("Operation already in progress") : .busy
  }

  /// The reply if the controller cannot establish another link. The oldest release uses the same
  /// text for every failed connection attempt.
  var controllerIsFull: DaemonError {
    .failed(
      self == .v5_66
        ? "le-connection-abort-by-local" : "le-connection-concurrent-connection-limit")
  }

  /// Whether devices signal the reason why a link ended, a feature added in release 5.83. Of the
  /// releases listed here, only 5.84 does so.
  var tellsWhyLinksEnd: Bool { self >= .v5_84 }

  /// Whether a characteristic remains acquired after the client has stopped waiting for the reply
  /// to `AcquireNotify`, which is the case in releases before 5.84.
  var keepsAcquired: Bool { self < .v5_84 }
}

extension DaemonVersion: Comparable {
  public static func < (left: DaemonVersion, right: DaemonVersion) -> Bool {
    // All versions are 5.xx, so they can be compared as text.
    left.rawValue < right.rawValue
  }
}
