internal import Export
internal import Gateway
internal import LinuxSystem

/// A folder that gets the exports of a session.
struct ExportFolder: Sendable {
  private static let samples = "samples.csv"
  private static let track = "track.geojson"
  /// The names of the files, for messages.
  static let names = "\(samples) with its tables, \(track)"

  private let path: String
  private let replaces: Bool

  /// The folder at `path`, in which files of these names may be replaced or not. The check comes
  /// before the recording: a refusal afterwards would come too late.
  init(_ path: String, replaces: Bool) throws(OutputRefusal) {
    self.path = path
    self.replaces = replaces
    guard !replaces else { return }
    for file in SessionFiles.paths(at: path + "/" + Self.samples, as: .csv) {
      try OutputPlace.refuseOccupied(file)
    }
    try OutputPlace.refuseOccupied(path + "/" + Self.track)
  }

  /// Reads a recording back from its store and writes the files; each appears when it is whole.
  ///
  /// `nil`, and no file, for a recording that never got as far as a board.
  func write(_ recording: RecordingReport, from store: String) throws -> ExportTotals? {
    guard recording.hasSamples else { return nil }
    var export = SessionExport(store: store, session: recording.session)
    export.replaces = replaces
    let outcome = try export.writeFile(path + "/" + Self.samples, as: .csv)
    try export.writeGeoJSON(to: path + "/" + Self.track)
    return outcome.totals
  }
}
