internal import LinuxSystem

/// The position sources of this computer, for users who named none.
public enum SourceCandidates {
  /// Names under which receivers appear; descriptive names come first.
  static let patterns = ["/dev/serial/by-id/*", "/dev/gps[0-9]*", "/dev/ttyACM*"]

  /// The sources found; each device once, by the first of its names.
  ///
  /// - Parameter others: ports that count only if nothing else was found, since they are there
  ///   without a receiver, too.
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
