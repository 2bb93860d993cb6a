internal import LinuxSystem

/// Finds position sources on this computer, for users who did not specify one.
public enum SourceCandidates {
  /// Patterns that match the device files of receivers. Patterns for descriptive names come first.
  static let patterns = ["/dev/serial/by-id/*", "/dev/gps[0-9]*", "/dev/ttyACM*"]

  /// Returns the sources found. Each device appears once, under the first of its names.
  ///
  /// - Parameter others: Ports that exist even if no receiver is connected. They are returned only
  ///   if nothing else was found.
  public static func found(orElse others: [String]) -> [PositionSource] {
    found(patterns, daemon: PositionSource.GPSDAddress(), orElse: others)
  }

  static func found(
    _ patterns: [String], daemon: PositionSource.GPSDAddress, orElse others: [String] = []
  ) -> [PositionSource] {
    var devices: Set<String> = []
    var sources: [PositionSource] = []
    for path in patterns.flatMap({ PathPattern.matches($0) })
    where devices.insert(PathPattern.target(of: path)).inserted {
      sources.append(.serial(path, speed: nil))
    }
    if DaemonProbe.answers(at: daemon) { sources.insert(.gpsd(daemon), at: 0) }
    return sources.isEmpty ? others.map { .serial($0, speed: nil) } : sources
  }
}
