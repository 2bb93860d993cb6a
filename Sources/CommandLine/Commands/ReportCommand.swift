internal import Gateway
internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Values

/// `footbridge report`: writes the information needed to diagnose a problem to one file.
struct ReportCommand: Verb {
  /// The file to write; `nil` for a new file in the current folder.
  var output: String?
  /// Whether to skip contacting destinations.
  var isOffline = false
  /// The running gateway's socket, and its configuration file.
  var place: StatusPlace
  var store: StoreLocation

  static let options: [Option<ReportCommand>] =
    [
      .option(
        "output", .file("FILE"), shownDefault: "footbridge-report-HOST-TIME.txt",
        help: "write to this file, or to standard output with '-'", sets: \.output),
      .flag("offline", help: "do not contact the destinations", sets: \.isOffline),
    ] + StatusPlace.options.map { $0.lifted(into: \.place) } + [.store(sets: \.store)]

  static let definition = CommandDefinition<ReportCommand>(
    name: "report", summary: "write one file with everything needed to diagnose a problem",
    discussion: """
      Writes a text file with the findings of the doctor, the status of the gateway, versions, the \
      configuration, boards and destinations, the kernel's messages about Bluetooth, serial ports, \
      voltage and cards, and the newest 2,000 log lines each from bluetoothd and the service. The \
      command works without a running gateway. If a section cannot be written, the file states the \
      reason.

      Passwords, tokens, keys, e-mail addresses, the parts of addresses that may contain secrets, \
      participants, wearers and fixed places are removed. The addresses and names of boards are \
      kept. Read the file before you send it. Only you can read it. The command never overwrites a \
      file.

      Run the command with sudo to include the logs.
      """,
    initial: {
      ReportCommand(
        place: StatusPlace(configuration: ConfigurationLocation(environment: $0)),
        store: StoreLocation(environment: $0))
    },
    options: options)

  /// The output that `--output` selects: standard output or a file.
  private enum Target {
    case standardOutput
    case file(String)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let time = BootClock.systemTime()
    let computer = ThisComputer.name
    let target = try target(of: computer, at: time)
    let reading = try place.configuration.reading()
    // A faulty configuration must not prevent a report, because the fault may have caused the
    // problem.
    let path = (try? store.following(place.configuration).path()) ?? reading.configuration.store
    let signals = Signals(console)
    let text = try await signals.cancelling {
      let report = SupportReport(
        sections: sections(reading, path),
        concealment: await Self.concealment(path, reading.configuration))
      return try await report.text(of: computer, at: time) { title in
        console.showProgress("writing the report: \(title)")
      }
    }
    guard let text, signals.status == .ok else { return signals.status }
    switch target {
    case .standardOutput: try console.print(String(text.dropLast()))
    case .file(let file):
      try Self.write(text, to: file)
      try console.print(
        "\(TerminalText.harmless(file)): \(ByteText.short(UInt64(text.utf8.count))). "
          + "Read the file before you send it.")
    }
    return .ok
  }

  // MARK: The file

  private func target(of computer: String, at time: UTCTime) throws -> Target {
    let usual = Self.fileName(of: computer, at: time)
    switch try OutputPlace(output ?? usual) {
    case .standardOutput: return .standardOutput
    case .folder(let folder):
      let path = folder + "/" + usual
      if Folder.exists(path) { throw Self.occupied(path) }
      return .file(path)
    case .file(_, isThere: true): throw Self.occupied(output ?? usual)
    case .file(_, isThere: false): return .file(output ?? usual)
    case .stream(let path):
      throw Complaint(
        "\(path) is not a file", remedy: "give the name of a new file, or '-' for standard output")
    }
  }

  private static func occupied(_ path: String) -> Complaint {
    Complaint("cannot write \(path): the file already exists", remedy: "give another name")
  }

  /// Returns a file name that is valid on every file system.
  static func fileName(of computer: String, at time: UTCTime) -> String {
    let host = String(
      computer.unicodeScalars.prefix(64).map { scalar in
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z", "-": Character(scalar)
        default: "-"
        }
      })
    let stamp = time.iso8601(decimals: 0).filter { $0 != ":" && $0 != "-" }
    return "footbridge-report-\(host.isEmpty ? "computer" : host)-\(stamp).txt"
  }

  private static func write(_ text: String, to path: String) throws {
    do throws(SystemError) {
      let file = try DurableFile(path, rights: 0o600)
      try file.write(Array(text.utf8).span)
      try file.commit(replaces: false)
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }

  // MARK: The sections

  /// Returns a `Concealment` that also removes the secrets in the configuration, in the environment
  /// and, if the store is readable, of its destinations.
  private static func concealment(
    _ path: String, _ configuration: GatewayConfiguration
  ) async -> Concealment {
    let files = [configuration.sharing.passwordFile, configuration.page.key].compactMap(\.self)
    let known = await Examination.onThread {
      Concealment(
        of: Self.destinations(path), files: files, environment: Environment.variables)
    }
    return known ?? Concealment()
  }

  private static func destinations(_ path: String) -> [StoredDestination] {
    guard StoreReader.exists(at: path) else { return [] }
    return (try? StoreReader(path: path).destinations()) ?? []
  }

  private func sections(_ reading: ConfigurationReading, _ path: String) -> [SupportReport.Section]
  {
    let doctor = Doctor(
      store: path, source: reading.configuration.recording.receiver, isOffline: isOffline)
    return [
      .onThread("computer", patience: 5) { ComputerFacts.lines(SystemTree()) },
      .init("doctor", patience: 2 * Doctor.patience) {
        await doctor.diagnosis().lines(width: Self.width).map(\.text)
      },
      .onThread("status", patience: 5) { [place] in
        StatusText.lines(try place.client().status())
      },
      .onThread("configuration", patience: 5) { try Self.configuration(reading) },
      .onThread("store", patience: 15) { try Self.store(path) },
      .init("kernel", patience: 30) {
        try KernelLog.report(try await Journal().kernelLines())
      },
      .init("bluetoothd", patience: 30) { try await Self.log(of: "bluetooth.service") },
      .init("log", patience: 30) { try await Self.log(of: ServiceUnit.name) },
    ]
  }

  private static func log(of unit: String) async throws -> [String] {
    try Journal.fitting(await Journal().lines(of: unit), of: unit)
  }

  /// The maximum width of the doctor's findings, in columns.
  private static let width = 100

  private static func configuration(_ reading: ConfigurationReading) throws -> [String] {
    let bytes: [UInt8]
    do {
      bytes = try ConfigurationFile.read(reading.file).get()
    } catch {
      throw Complaint("\(reading.file): \(error.message)", remedy: error.remedy)
    }
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(withoutComment)
    return ConfigurationSummary.lines(reading) + ["", "-- \(reading.file)"] + lines
  }

  /// Returns a line with its comment's text replaced by `***`, because a comment may contain a
  /// secret in any form.
  private static func withoutComment(_ line: Substring) -> String {
    let start = line.firstIndex { $0 != " " && $0 != "\t" } ?? line.endIndex
    if line[start...].hasPrefix(";") || line[start...].hasPrefix("#") { return "; ***" }
    guard let comment = line.firstRange(ofText: " ;") ?? line.firstRange(ofText: "\t;") else {
      return String(line)
    }
    return "\(line[..<comment.lowerBound]) ; ***"
  }

  private static func store(_ path: String) throws -> [String] {
    guard StoreReader.exists(at: path) else { return ["there is no store at \(path)"] }
    let reader = try StoreReader(path: path)
    let sessions = try reader.sessionCount()
    var destinations = TextTable([
      .init("destination"), .init("place"), .init("credentials"), .init("settings"),
      .init("uploads"),
    ])
    let stored = try reader.destinations()
    for destination in stored {
      let settings = try? DestinationCommand.settings(of: destination)
      destinations.append([
        destination.name ?? "", DestinationText.place(destination),
        settings.map(DestinationText.credentials) ?? "?",
        settings.map(DestinationText.settings) ?? "?",
        DestinationText.backlog(try reader.uploadCounts(for: destination), sentBefore: true),
      ])
    }
    let boards = try reader.boards()
    return ["\(path), \(NumberText.count(sessions, "session"))"]
      + StoreText.outcome(of: try reader.spacePolicy(), try reader.spaceUsage()).lines
      + (boards.isEmpty ? [] : [""] + BoardsTable(boards: boards, isInUTC: true).lines())
      + (stored.isEmpty ? [] : [""] + destinations.lines)
  }
}
