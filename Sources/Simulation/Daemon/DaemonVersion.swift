/// A release of BlueZ to be imitated; releases between two of them behave like the older one.
public enum DaemonVersion: String, Hashable, Sendable, CaseIterable {
  /// Debian 12.
  case v5_66 = "5.66"
  /// Ubuntu 24.04.
  case v5_72 = "5.72"
  /// Debian 13.
  case v5_82 = "5.82"
  /// The first that lets go of a notification whose acquirer gave up waiting.
  case v5_84 = "5.84"

  /// What it says to a second `Connect` while the first is running; `Failed` up to 5.80.
  var connectIsRunning: DaemonError {
    self < .v5_82 ? .failed("Operation already in progress") : .busy
  }

  /// What it says when the controller takes no more links; the oldest has one text for everything
  /// that can happen to a link which is being made.
  var controllerIsFull: DaemonError {
    .failed(
      self == .v5_66
        ? "le-connection-abort-by-local" : "le-connection-concurrent-connection-limit")
  }

  /// Whether devices tell by a signal why their link ended; from 5.83.
  var tellsWhyLinksEnd: Bool { self >= .v5_84 }

  /// Whether a characteristic stays acquired when its acquirer gave up waiting; before 5.84.
  var keepsAcquired: Bool { self < .v5_84 }
}

extension DaemonVersion: Comparable {
  /// The older one comes first.
  public static func < (left: DaemonVersion, right: DaemonVersion) -> Bool {
    // All are 5.xx, so that their texts are in order.
    left.rawValue < right.rawValue
  }
}
