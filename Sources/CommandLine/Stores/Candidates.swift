internal import Gateway

/// What a shell offers where an argument is expected.
struct Candidates: Hashable {
  /// What is offered besides words; the raw value is the word for it in completion scripts.
  enum Source: String, Hashable {
    /// The known boards.
    case boards
    /// The destinations.
    case destinations
    /// The programs in `PATH`.
    case programs
    /// Paths of files.
    case files
    /// Paths of folders.
    case folders
  }

  /// Words to choose from.
  var words: [String] = []
  /// What else there is.
  var source: Source?
}

extension Argument {
  /// What a shell offers for it; nothing where anything may be written.
  func candidates(among commands: [Command]) -> Candidates {
    switch kind {
    case .word(let words): Candidates(words: words)
    case .command: Candidates(words: commands.filter(\.isListed).map(\.name))
    case .wearer: Candidates(words: WearerRequest.words, source: .files)
    case .sensor, .signal: Candidates(words: SensorChoice.signals)
    case .session: Candidates(words: [SessionDirectory.last])
    case .hazard: Candidates(words: HazardRequest.words)
    case .positions: Candidates(words: ["gpsd", "gpsd://", "file:", "fixed:"], source: .files)
    case .listenAddress: Candidates(words: ["127.0.0.1:8420", "0.0.0.0:8420"])
    case .board: Candidates(source: .boards)
    case .destination: Candidates(source: .destinations)
    case .uniqueID: Candidates()
    case .endpoint: Candidates(words: ["https://", "http://"])
    case .broker: Candidates(words: ["mqtts://", "mqtt://"])
    case .file, .absolutePath, .socketPath: Candidates(source: .files)
    case .configurationKey: Candidates(words: GatewayConfiguration.descriptions.map(\.path))
    case .folder: Candidates(source: .folders)
    case .commandLine: Candidates(source: .programs)
    case .wholeNumber, .number, .seconds, .fault, .daemonFault, .adapter, .boardAddress, .boardName,
      .boardText,
      .boardNaming, .boardPair, .moment, .date, .hours, .liveName, .pageName, .text:
      Candidates()
    }
  }
}
