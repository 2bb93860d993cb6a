internal import LinuxSystem

/// The position sources of this computer, for users who named none.
public enum SourceCandidates {
  /// Names under which receivers appear; descriptive names come first.
  static let patterns = ["/dev/serial/by-id/*", "/dev/gps[0-9]*", "/dev/ttyACM*"]

  /// The sources found; each device once, by the first of its names.
  public static func found() -> [PositionSource] {
    found(patterns, daemon: PositionSource.GPSDAddress())
  }

  static func found(
    _ patterns: [String], daemon: PositionSource.GPSDAddress
  ) -> [PositionSource] {
    var devices: Set<String> = []
    var sources: [PositionSource] = []
    for path in patterns.flatMap({ PathPattern.matches($0) })
    where devices.insert(PathPattern.target(of: path)).inserted {
      sources.append(.serial(path, speed: nil))
    }
    return DaemonProbe.answers(at: daemon) ? [.gpsd(daemon)] + sources : sources
  }
}
