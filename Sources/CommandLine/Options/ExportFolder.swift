internal import Export
internal import Gateway
internal import LinuxSystem

/// A folder for the exports of a session.
struct ExportFolder: Sendable {
  private static let samples = "samples.csv"
  private static let track = "track.geojson"
  /// The names of the files, for messages.
  static let names = "\(samples) with its tables, \(track)"

  private let path: String
  private let replaces: Bool

  /// The folder at `path`. Without `replaces`, existing files are refused here, because a refusal
  /// after the recording would be too late.
  init(_ path: String, replaces: Bool) throws(OutputRefusal) {
    self.path = path
    self.replaces = replaces
    guard !replaces else { return }
    for file in SessionFiles.paths(at: path + "/" + Self.samples, as: .csv) {
      try OutputPlace.refuseOccupied(file)
    }
    try OutputPlace.refuseOccupied(path + "/" + Self.track)
  }

  /// Reads a recording back from its store and writes the files; each appears when it is complete.
  ///
  /// `nil`, and no file, for a recording without samples.
  func write(_ recording: RecordingReport, from store: String) throws -> ExportTotals? {
    guard recording.hasSamples else { return nil }
    var export = SessionExport(store: store, session: recording.session)
    export.replaces = replaces
    let outcome = try export.writeFile(path + "/" + Self.samples, as: .csv)
    try export.writeGeoJSON(to: path + "/" + Self.track)
    return outcome.totals
  }
}
