public import Export
public import Recording

/// Writes the exports of one session of a store.
public struct SessionExport: Sendable {
  private let store: String
  private let session: UniqueID

  /// The exports of the session with this id in the store at this path.
  public init(store: String, session: UniqueID) {
    self.store = store
    self.session = session
  }

  /// Writes every sample as a row of one CSV file; the file appears when it is whole.
  public func writeCSV(to path: String) throws -> ExportTotals {
    let source = try open()
    var file = try AtomicFile(path: path)
    let totals = try CSVExport().write(source, to: &file)
    try file.commit()
    return totals
  }

  /// Writes the track as GeoJSON; the file appears when it is whole.
  public func writeGeoJSON(to path: String) throws {
    let source = try open()
    var file = try AtomicFile(path: path)
    try GeoJSONExport().write(source, to: &file)
    try file.commit()
  }

  private func open() throws -> StoredSession {
    guard let source = try StoredSession.find(session, in: store) else {
      throw ExportError(
        "there is no session \(session) in \(store)", remedy: "give the store it was recorded in")
    }
    return source
  }
}
