internal import Export
internal import Gateway
internal import Recording

/// A folder that gets the exports of a session.
struct ExportFolder: Sendable {
  private static let samples = "samples.csv"
  private static let track = "track.geojson"
  /// The names of the files, for messages.
  static let names = "\(samples), \(track)"

  private let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Reads a session back from its store and writes the files; each appears when it is whole.
  func write(_ session: UniqueID, from store: String) throws -> ExportTotals {
    do {
      let export = SessionExport(store: store, session: session)
      let totals = try export.writeCSV(to: path + "/" + Self.samples)
      try export.writeGeoJSON(to: path + "/" + Self.track)
      return totals
    } catch {
      throw Complaint(explaining: error)
    }
  }
}
