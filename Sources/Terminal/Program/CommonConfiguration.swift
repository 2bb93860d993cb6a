/// What the options every command accepts have set.
struct CommonConfiguration: Hashable, Sendable {
  /// How much goes to standard error.
  var level = Console.Level.normal
  /// Whether the help was asked for instead of the command.
  var wantsHelp = false

  /// Nothing given.
  init() {}

  /// The options every command accepts.
  static let options: [Option<CommonConfiguration>] = [
    .flag(
      "quiet", short: "q", excludes: ["verbose"], help: "report only warnings and errors",
      sets: \.level, to: .quiet),
    .flag(
      "verbose", short: "v", excludes: ["quiet"], help: "report every step",
      sets: \.level, to: .verbose),
    .flag(
      "help", short: "h", help: "show this help and end", sets: \.wantsHelp, to: true,
      endsParsing: true),
  ]
}

/// What the options before the command have set.
struct ProgramConfiguration: Sendable {
  var common = CommonConfiguration()
  var wantsVersion = false

  static let options: [Option<ProgramConfiguration>] =
    CommonConfiguration.options.map { $0.lifted(into: \.common) } + [
      .flag(
        "version", help: "show the version and end", sets: \.wantsVersion, to: true,
        endsParsing: true)
    ]
}
