internal import CRelease
internal import Terminal

/// The name and version of the program, which are defined only here.
public enum Version {
  public static let program = "footbridge"
  public static let number = "0.1.0"
  /// The release date, which manual pages show.
  public static let date = "2026-11-29"
  /// Commit and date of a release, as in `1a2b3c4d5e6f 2026-11-29`; empty in other builds.
  public static let commit = RELEASE_COMMIT
  /// The user agent sent to servers.
  public static let agent = "\(program)/\(number)"
  /// Name, version and commit, as `--version` prints them.
  public static let text = Commands.version
}
