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

  /// Reads a recording back from its store and writes the files; each appears when it is whole.
  ///
  /// `nil`, and no file, for a recording that never got as far as a board.
  func write(_ recording: RecordingReport, from store: String) throws -> ExportTotals? {
    guard !recording.totals.streams.isEmpty else { return nil }
    let export = SessionExport(store: store, session: recording.session)
    let totals = try export.writeCSV(to: path + "/" + Self.samples)
    try export.writeGeoJSON(to: path + "/" + Self.track)
    return totals
  }
}
