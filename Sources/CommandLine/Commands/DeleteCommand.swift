internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge delete`: deletes a session after a confirmation.
struct DeleteCommand: StoreVerb {
  /// The session argument, as typed by the user.
  var session = ""
  /// Whether to skip the confirmation.
  var isSure = false
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<DeleteCommand>] = [
    .flag("yes", help: "do not ask for confirmation", sets: \.isSure),
    .flag("json", help: "print the numbers of deleted items as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<DeleteCommand>(
    name: "delete", summary: "delete a session permanently",
    discussion: """
      Deletes a session with its samples, positions and notes, after asking you to confirm with \
      yes. No session can be deleted while a recording is writing to the store. The store's file \
      keeps its size, and later sessions use the freed space; 'footbridge store compact' returns \
      it to the disk.
      """,
    initial: { DeleteCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.session, sets: \.session)])

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = try store.sessions(like: self.session, console)
    let session = try directory.session(self.session)
    let path = try store.path()
    let name = directory.shortID(of: session)
    guard !StoreReader.isReceiving(path) else {
      throw Complaint(
        "an upload server is writing to \(path)", remedy: "stop the upload server first")
    }
    guard !StoreReader.isBeingRecordedInto(path) else {
      throw Complaint(
        session.end == nil
          ? "session \(name) is being recorded" : "another process is recording into \(path)",
        remedy: "stop the recording first")
    }
    if !isSure {
      let answer = console.ask(
        "\(try Self.contents(of: session, name, in: path)) Delete it? [yes/no]")
      guard let answer, ["y", "yes"].contains(answer.lowercased()) else {
        throw Complaint(
          "session \(name) was not deleted",
          remedy: "answer 'yes', or use --yes to skip the question")
      }
    }
    let deleted = try StoreMaintenance(path: path)
      .delete(session.id, at: BootClock.systemTime())
    try console.print(
      reportsJSON
        ? Self.json(session, deleted).text
        : "Session \(name) was deleted: \(NumberText.grouped(deleted.samples)) samples in "
          + "\(NumberText.grouped(deleted.chunks)) chunks.")
    return .ok
  }

  /// Describes the session's contents for the confirmation prompt.
  private static func contents(
    of session: Session, _ name: String, in path: String
  ) throws -> String {
    let streams = try StoreReader(path: path).streams(of: session.id)
    let samples = streams.map(\.sampleCount).reduce(0, +)
    let note = session.note.isEmpty ? "" : " (\(TerminalText.harmless(session.note)))"
    return "Session \(name)\(note) has \(NumberText.grouped(samples)) samples."
  }

  private static func json(_ session: Session, _ deleted: Store.Dropped) -> JSONValue {
    .object([
      .init("session", session.id), .init("samples", deleted.samples),
      .init("chunks", deleted.chunks), .init("bytes", deleted.bytes),
      .init("unsentChunks", deleted.unsent),
    ])
  }
}
