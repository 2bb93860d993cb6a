/// An imitated release of BlueZ; releases between two of them behave like the older one.
public enum DaemonVersion: String, Hashable, Sendable, CaseIterable {
  /// Debian 12.
  case v5_66 = "5.66"
  /// Ubuntu 24.04.
  case v5_72 = "5.72"
  /// Debian 13.
  case v5_82 = "5.82"
  /// The first release that ends a notification whose acquirer has stopped waiting.
  case v5_84 = "5.84"

  /// The answer to a second `Connect` while the first is running; `Failed` up to 5.80.
  var connectIsRunning: DaemonError {
    self < .v5_82 ? .failed("Operation already in progress") : .busy
  }

  /// The answer if the controller has no room for another link. The oldest release has one text for
  /// every failure of a link that is being made.
  var controllerIsFull: DaemonError {
    .failed(
      self == .v5_66
        ? "le-connection-abort-by-local" : "le-connection-concurrent-connection-limit")
  }

  /// Whether devices signal the reason for the end of a link: since 5.83, so here only the last
  /// release.
  var tellsWhyLinksEnd: Bool { self >= .v5_84 }

  /// Whether a characteristic stays acquired after its acquirer has stopped waiting; before 5.84.
  var keepsAcquired: Bool { self < .v5_84 }
}

extension DaemonVersion: Comparable {
  /// Older releases come first.
  public static func < (left: DaemonVersion, right: DaemonVersion) -> Bool {
    // All versions are 5.xx, so the order of their texts is right.
    left.rawValue < right.rawValue
  }
}
