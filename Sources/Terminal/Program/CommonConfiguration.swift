/// The values of the options that every command accepts.
struct CommonConfiguration: Hashable, Sendable {
  var level = Console.Level.normal
  var wantsHelp = false

  init() {}

  static let options: [Option<CommonConfiguration>] = [
    .flag(
      "quiet", short: "q", excludes: ["verbose"], help: "report only warnings and errors",
      sets: \.level, to: .quiet),
    .flag(
      "verbose", short: "v", excludes: ["quiet"], help: "report every step",
      sets: \.level, to: .verbose),
    .flag(
      "help", short: "h", help: "show this help and exit", sets: \.wantsHelp, to: true,
      endsParsing: true),
  ]
}

/// The values of the options that are given before the command's name.
struct ProgramConfiguration: Sendable {
  var common = CommonConfiguration()
  var wantsVersion = false

  static let options: [Option<ProgramConfiguration>] =
    CommonConfiguration.options.map { $0.lifted(into: \.common) } + [
      .flag(
        "version", help: "show the version and exit", sets: \.wantsVersion, to: true,
        endsParsing: true)
    ]
}
