internal import LinuxSystem
internal import Terminal

/// The configuration file of a command: named by `--config`, by the environment, or the system's.
struct ConfigurationLocation: Hashable, Sendable {
  /// The file of the service.
  static let standard = "/etc/footbridge/footbridge.conf"
  /// The variable that replaces `--config`.
  static let variable = "FOOTBRIDGE_CONFIG"

  /// The file that was named on the command line.
  var given: String?
  /// The usual path of this user or service, which the environment may change.
  private let usual: String
  /// Whether the environment named it.
  private let isMoved: Bool

  /// The location by the environment alone.
  init(environment: [String: String]) {
    usual = environment[Self.variable] ?? Self.standard
    isMoved = environment[Self.variable].map { !$0.isEmpty } ?? false
  }

  /// Path of the file, which need not exist; empty if the variable is empty, which means no file.
  var path: String { given ?? usual }

  /// Whether the user named the file.
  var isNamed: Bool { given != nil || isMoved }

  /// The parsed file, for a command that also works without one. A named file must exist.
  func reading() throws(Complaint) -> ConfigurationReading {
    if let given, !Folder.exists(given) {
      throw Complaint(
        "there is no file \(TerminalText.harmless(given))",
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
  /// The option `--config FILE`, for every command that works on a configuration.
  static func config(sets place: Place<ConfigurationLocation>) -> Option {
    Option<ConfigurationLocation>.option(
      "config", .file("FILE"), shownDefault: ConfigurationLocation.standard,
      environmentVariable: ConfigurationLocation.variable, help: "the configuration file",
      sets: \.given
    ).lifted(into: place)
  }
}
