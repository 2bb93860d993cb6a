/// Name and version of the program, the only source for every text.
public enum Version {
  public static let program = "footbridge"
  public static let number = "0.1.0"
  /// The release date, which manual pages show.
  public static let date = "2026-11-26"
  /// The user agent for servers.
  public static let agent = "\(program)/\(number)"
  /// Name and version, as `--version` prints them.
  public static let text = "\(program) \(number)"
}
