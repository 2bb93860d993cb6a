public enum ExportFormat: String, CaseIterable, Hashable, Sendable {
  /// A table with one row per sample.
  case csv
  /// A JSON object for each sample, one per line.
  case jsonl
  /// A single JSON document with the description, the samples and the gaps of the session.
  case json
  /// The track and the hazards, for maps.
  case geojson
  /// The track and the hazards, for maps and navigation devices.
  case gpx
  /// A table with one row per instant, in which all streams are side by side.
  case table
  /// The boards' orientations, for OpenSense.
  case sto
  /// A folder that follows Motion-BIDS, for research.
  case bids

  /// Whether the format contains samples. The other formats contain only the track and the hazards.
  public var hasSamples: Bool {
    switch self {
    case .csv, .jsonl, .json, .table, .sto, .bids: true
    case .geojson, .gpx: false
    }
  }

  /// Whether every session can be written to a file in this format. The other formats need a
  /// certain sensor or a folder.
  public var suitsEverySession: Bool { self != .sto && !isFolder }

  /// Whether rows can contain values that are interpolated at regular instants.
  public var isResampled: Bool { self == .table || self == .sto }

  /// Whether the format is a folder, which neither a pipe nor a browser can receive.
  public var isFolder: Bool { self == .bids }

  /// The format's file name extensions, starting with the usual one.
  private var endings: [String] {
    switch self {
    case .csv: ["csv"]
    case .jsonl: ["jsonl", "ndjson"]
    case .json: ["json"]
    // GeoJSON is also valid JSON, and many programs accept it only with the extension `json`.
    case .geojson: ["geojson", "json"]
    case .gpx: ["gpx"]
    // The long table has this extension too, so the user must name the format.
    case .table: ["csv"]
    case .sto: ["sto"]
    case .bids: ["bids"]
    }
  }

  public var ending: String { endings[0] }

  /// The usual extensions that select a format.
  public static var knownEndings: [String] {
    allCases.filter { ExportFormat(endingOf: "." + $0.ending) == $0 }.map(\.ending)
  }

  public init?(endingOf path: String) {
    let ending = Self.ending(of: path)
    guard let format = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      return nil
    }
    self = format
  }

  /// Whether a file at this path may have this format: its extension belongs to the format, or to
  /// no known format.
  public func suits(_ path: String) -> Bool {
    ExportFormat(endingOf: path) == nil || endings.contains(Self.ending(of: path))
  }

  public static func hasEnding(_ path: String) -> Bool { !ending(of: path).isEmpty }

  private static func ending(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
  }
}
