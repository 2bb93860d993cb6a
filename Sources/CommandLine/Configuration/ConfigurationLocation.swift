/// Which configuration file a command works on: the one named by `--config`, by the environment, or
/// the system's.
struct ConfigurationLocation: Hashable, Sendable {
  /// The file of the service.
  static let standard = "/etc/footbridge/footbridge.conf"
  /// The variable that stands in for `--config`.
  static let variable = "FOOTBRIDGE_CONFIG"

  /// What was named on the command line or in the environment.
  var given: String?

  /// The location by the environment alone.
  init(environment: [String: String]) {
    // A variable that is set to nothing counts as not set.
    given = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Path of the file, which need not exist.
  var path: String { given ?? Self.standard }
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
