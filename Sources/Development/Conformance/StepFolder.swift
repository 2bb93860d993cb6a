internal import LinuxSystem
internal import Values

/// Reads the manifest of a folder of recordings with known step counts.
///
/// `manifest.json` is an array with an object for each recording: `file`, `files` (the paths by
/// sensor or placement), `placement`, `rate` (in Hz), `units`, and `truth` with `steps` and
/// `uncertainty`. The feet are a pair if `files` has both a left and a right foot and `units` has
/// the unit of rotation under `gx..gz`.
struct StepFolder {
  /// The maximum length in bytes of a path or a placement.
  private static let longest = 255
  private static let rates = 12.0...10_000
  /// Names in `files` that are not placements. Only the names in `plain` can refer to an
  /// accelerometer.
  private static let (plain, others) = (
    ["data", "accelerometer"], ["gyroscope", "magnetometer", "pressure"]
  )
  /// The units of acceleration, and the value of 1 g in each of them.
  private static let units = ["g": 1, "m/s2": 9.80665]
  /// The units of rotation, and the value of one degree per second in each of them.
  private static let rotations = ["deg/s": 1, "rad/s": Double.pi / 180]

  private let folder: String
  private let manifest: RecordingFile
  private(set) var recordings: [StepRecording] = []
  /// Pairs of recordings from a person's feet, with gyroscope data.
  private(set) var feet: [(left: StepRecording, right: StepRecording)] = []
  /// The recordings without a step count.
  private(set) var uncounted: [String] = []

  init(_ folder: String) throws(VectorFileError) {
    self.folder = folder
    manifest = RecordingFile(path: "\(folder)/manifest.json")
    for entry in try manifest.entries() { try add(entry) }
  }

  private mutating func add(_ entry: JSON) throws(VectorFileError) {
    guard let path = Self.text(entry["file"]), RecordingFile.isInside(path) else {
      throw manifest.damaged("an entry does not have a 'file' in this folder")
    }
    guard let steps = entry["truth"]?["steps"] else {
      uncounted.append(Self.name(path))
      return
    }
    guard let count = steps.integer, (0...1_000_000).contains(count),
      let uncertainty = entry["truth"]?["uncertainty"]?.number, uncertainty >= 0,
      let rate = entry["rate"]?.number, Self.rates.contains(rate),
      let placement = Self.text(entry["placement"])
    else {
      throw manifest.damaged(
        "\(Self.name(path)) has an invalid 'steps', 'uncertainty', 'rate' or 'placement'")
    }
    let units = entry["units"]
    let unit = units?["x"]?.text ?? units?["ax..az"]?.text
    let added = try files(of: entry, path).map { sensor, path in
      StepRecording(
        file: RecordingFile(path: "\(folder)/\(path)"), name: Self.name(path),
        placement: Self.plain.contains(sensor) ? placement : sensor, rate: rate,
        unitsPerG: unit.flatMap { Self.units[$0] },
        unitsPerDegree: units?["gx..gz"]?.text.flatMap { Self.rotations[$0] },
        truth: .init(steps: count, uncertainty: uncertainty))
    }
    recordings += added
    if let left = added.first(where: { $0.placement == "left foot" && $0.unitsPerDegree != nil }),
      let right = added.first(where: { $0.placement == "right foot" })
    {
      feet.append((left, right))
    }
  }

  /// Returns an entry's accelerometers and their paths, sorted by path.
  private func files(
    of entry: JSON, _ main: String
  ) throws(VectorFileError) -> [(sensor: String, path: String)] {
    guard let files = entry["files"] else { return [(Self.plain[0], main)] }
    guard case .object(let members) = files else {
      throw manifest.damaged("the 'files' of \(Self.name(main)) are not an object")
    }
    var found: [(sensor: String, path: String)] = []
    for (sensor, path) in members where !Self.others.contains(sensor) {
      guard let sensor = Self.text(.text(sensor)), let path = Self.text(path),
        RecordingFile.isInside(path)
      else {
        throw manifest.damaged("one of the 'files' of \(Self.name(main)) is not in this folder")
      }
      found.append((sensor, path))
    }
    guard !found.isEmpty else {
      throw manifest.damaged("the 'files' of \(Self.name(main)) include no accelerometer")
    }
    return found.sorted { $0.path < $1.path }
  }

  /// Returns a string that fits into the table; `nil` if it is missing, empty or too long.
  private static func text(_ json: JSON?) -> String? {
    json?.text.flatMap { (1...longest).contains($0.utf8.count) ? $0 : nil }
  }

  /// Returns a file's name without `.csv.gz`, and without the details that MetaBase adds after the
  /// start time.
  private static func name(_ path: String) -> String {
    let name = Folder.name(of: path)
    let end = name.firstRange(ofText: "_Accelerometer")?.lowerBound ?? name.endIndex
    let stem = name[..<end]
    return PlainText.cleaned(String(stem.hasSuffix(".csv.gz") ? stem.dropLast(7) : stem))
  }
}
