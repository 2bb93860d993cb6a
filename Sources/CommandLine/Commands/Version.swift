/// Name and version of the program, which every text takes from here.
public enum Version {
  /// The program's name.
  public static let program = "footbridge"
  /// Its version.
  public static let number = "0.1.0"
  /// When it was released: the date of the manual pages.
  public static let date = "2026-11-26"
  /// What we call ourselves to servers.
  public static let agent = "\(program)/\(number)"
  /// Both, as `--version` prints them.
  public static let text = "\(program) \(number)"
}
