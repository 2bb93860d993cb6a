internal import Export
internal import Gateway
internal import LinuxSystem

/// A folder that receives a session's exports.
struct ExportFolder: Sendable {
  private static let samples = "samples.csv"
  private static let track = "track.geojson"
  /// The names of the exported files, as shown in messages.
  static let names = "\(samples) with its tables, \(track)"

  private let path: String
  private var replaces: Bool

  /// Prepares the folder at `path` before a recording starts. Without `replaces`, throws if exports
  /// already exist, because an error after the recording would come too late.
  init(_ path: String, replaces: Bool) throws(OutputRefusal) {
    self.path = path
    self.replaces = replaces
    guard !replaces else { return }
    for file in SessionFiles.paths(at: path + "/" + Self.samples, as: .csv) {
      try OutputPlace.refuseOccupied(file)
    }
    try OutputPlace.refuseOccupied(path + "/" + Self.track)
  }

  /// The same folder, for exports that replace the existing ones.
  var replacing: ExportFolder {
    var folder = self
    folder.replaces = true
    return folder
  }

  /// Reads a recording back from the store and writes the exports. Each file appears only when it
  /// is complete.
  ///
  /// Returns `nil` and writes no files for a recording without samples.
  func write(_ recording: RecordingReport, from store: String) throws -> ExportTotals? {
    guard recording.hasSamples else { return nil }
    var export = SessionExport(store: store, session: recording.session)
    export.replaces = replaces
    let outcome = try export.writeFile(path + "/" + Self.samples, as: .csv)
    try export.writeGeoJSON(to: path + "/" + Self.track)
    return outcome.totals
  }
}
