internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// Body of `footbridge delete`: deletes a session, once somebody has said so twice.
enum DeleteRun {
  static let body: Commands.Body<DeleteConfiguration> = { configuration, console in
    let directory = try configuration.store.sessions(console)
    let session = try directory.session(configuration.session)
    let path = try configuration.store.path()
    let name = directory.shortID(of: session)
    guard !StoreReader.isBeingRecordedInto(path) else {
      throw Complaint(
        session.end == nil
          ? "session \(name) is being recorded" : "\(path) is being recorded into",
        remedy: "end the recording first")
    }
    if !configuration.isSure {
      let answer = console.ask("\(try contents(of: session, name, in: path)) Delete it? [yes/no]")
      guard let answer, ["y", "yes"].contains(answer.lowercased()) else {
        throw Complaint(
          "session \(name) was not deleted",
          remedy: "answer yes, or give --yes to skip the question")
      }
    }
    let deleted = try StoreMaintenance(path: path)
      .delete(session.id, at: BootClock.systemTime())
    try console.print(
      configuration.reportsJSON
        ? json(session, deleted).text
        : "Session \(name) is deleted: \(NumberText.grouped(UInt64(deleted.samples))) samples in "
          + "\(NumberText.grouped(UInt64(deleted.chunks))) chunks.")
    return .ok
  }

  /// What somebody should know before they answer.
  private static func contents(
    of session: Session, _ name: String, in path: String
  ) throws -> String {
    let streams = try StoreReader(path: path).streams(of: session.id)
    let samples = streams.map(\.sampleCount).reduce(0, +)
    let note = session.note.isEmpty ? "" : " (\(TerminalText.harmless(session.note)))"
    return "Session \(name)\(note) has \(NumberText.grouped(UInt64(samples))) samples."
  }

  private static func json(_ session: Session, _ deleted: Store.Dropped) -> JSONValue {
    .object([
      .init("session", .string("\(session.id)")),
      .init("samples", .integer(Int64(deleted.samples))),
      .init("chunks", .integer(Int64(deleted.chunks))),
      .init("bytes", .integer(Int64(clamping: deleted.bytes))),
      .init("unsentChunks", .integer(Int64(deleted.unsent))),
    ])
  }
}
