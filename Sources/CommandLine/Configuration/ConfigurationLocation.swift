internal import LinuxSystem
internal import Terminal
internal import Values

/// The configuration file's location, which comes from `--config`, from the environment, or from
/// the system default.
struct ConfigurationLocation: Hashable, Sendable {
  /// The path of the service's configuration file.
  static let standard = "/etc/footbridge/footbridge.conf"
  /// The environment variable that sets the path, like `--config`.
  static let variable = "FOOTBRIDGE_CONFIG"

  /// The path given on the command line.
  var given: String?
  /// The path to use without `--config`: from the environment variable, or else the system default.
  private let usual: String
  /// Whether the environment variable sets the path.
  private let isMoved: Bool

  init(environment: [String: String]) {
    usual = environment[Self.variable] ?? Self.standard
    isMoved = environment[Self.variable].map { !$0.isEmpty } ?? false
  }

  /// The file's path; the file need not exist. An empty path means that no file is used, because
  /// the environment variable is empty.
  var path: String { given ?? usual }

  /// The option that names the file, for a command in a message; empty without `--config`.
  var option: String { given.map { " --config " + ShellText.quoted($0) } ?? "" }

  /// Whether the user chose the path, on the command line or in the environment.
  var isNamed: Bool { given != nil || isMoved }

  /// Parses the file, for a command that can also run without one. A path chosen by the user must
  /// exist.
  func reading() throws(Complaint) -> ConfigurationReading {
    if let given, !Folder.exists(given) {
      throw Complaint(
        "the file \(TerminalText.harmless(given)) does not exist",
        remedy: "correct the path after --config"
          + (usual.isEmpty ? "" : ", or leave it out to use \(usual)"), status: .usage)
    }
    if given == nil, isMoved, !Folder.exists(usual) {
      throw Complaint(
        "\(Self.variable) names \(TerminalText.harmless(usual)), which does not exist",
        remedy: "correct the variable, unset it, or create the file with 'footbridge setup'",
        status: .usage)
    }
    return ConfigurationReading(path)
  }
}

extension Option {
  /// The option `--config FILE`, for every command that uses a configuration.
  static func config(sets place: Place<ConfigurationLocation>) -> Option {
    Option<ConfigurationLocation>.option(
      "config", .file("FILE"), shownDefault: ConfigurationLocation.standard,
      environmentVariable: ConfigurationLocation.variable, help: "the configuration file",
      sets: \.given
    ).lifted(into: place)
  }
}
