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

  /// Whether the format contains samples, not just the track.
  public var hasSamples: Bool {
    switch self {
    case .csv, .jsonl, .json: true
    case .geojson, .gpx: false
    }
  }

  /// The file name extensions of the format; the first one identifies it.
  private var endings: [String] {
    switch self {
    case .csv: ["csv"]
    case .jsonl: ["jsonl", "ndjson"]
    case .json: ["json"]
    // GeoJSON is JSON, and many programs accept it only with that extension.
    case .geojson: ["geojson", "json"]
    case .gpx: ["gpx"]
    }
  }

  /// The format that a file's extension identifies; `nil` for other extensions.
  public init?(endingOf path: String) {
    let ending = Self.ending(of: path)
    guard let format = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      return nil
    }
    self = format
  }

  /// Whether a file of this name may have the format: its extension identifies this format, or no
  /// format.
  public func suits(_ path: String) -> Bool {
    ExportFormat(endingOf: path) == nil || endings.contains(Self.ending(of: path))
  }

  /// Whether the name of a file has any extension.
  public static func hasEnding(_ path: String) -> Bool { !ending(of: path).isEmpty }

  private static func ending(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
  }
}
