/// The forms in which a session leaves its store.
public enum ExportFormat: String, CaseIterable, Hashable, Sendable {
  /// A table of samples.
  case csv
  /// A JSON object for each sample, on a line of its own.
  case jsonl
  /// One JSON document.
  case json
  /// The track and the hazards for maps.
  case geojson
  /// The track and the hazards for maps and navigation devices.
  case gpx

  /// Whether samples are in it, and not only the track.
  public var hasSamples: Bool {
    switch self {
    case .csv, .jsonl, .json: true
    case .geojson, .gpx: false
    }
  }
}
