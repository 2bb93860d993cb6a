internal import Recording
internal import Values

/// Reads a folder of recordings with known times and losses.
///
/// `manifest.json` is an array with an object for each recording: `files` (the paths by sensor) and
/// `truth`, which contains `sensors`, an object with the facts for each sensor.
struct AuditFolder {
  /// A recording's files, with their facts by sensor.
  struct Recording {
    var name: String
    /// The facts about the recording and, in `sensors`, about each file.
    var truth: JSON
    var files: [(sensor: String, file: AuditedFile)]
  }

  private static let largest = 64 << 20

  private(set) var recordings: [Recording] = []
  /// The recordings in MetaBase's format that have no `sensors` in their `truth`.
  private(set) var skipped: [String] = []

  init(_ folder: String) throws(VectorFileError) {
    let manifest = RecordingFile(path: "\(folder)/manifest.json")
    for entry in try manifest.entries() {
      guard case .object(let files) = entry["files"] else { continue }
      let isTable = entry["format"]?.text.map { $0 == "metabase-csv" } ?? true
      guard let truth = entry["truth"], case .object(let sensors) = truth["sensors"] else {
        if isTable, let path = files.values.compactMap(\.text).min() {
          skipped.append(AuditedName(path: path).stem)
        }
        continue
      }
      var judged: [(String, AuditedFile)] = []
      for (sensor, path) in files.sorted(by: { $0.key < $1.key }) where sensors[sensor] != nil {
        guard let path = path.text, RecordingFile.isInside(path) else {
          throw manifest.damaged("it names a file that is not in this folder")
        }
        var file = AuditedFile(path: path)
        let table = RecordingFile(path: "\(folder)/\(path)")
        let bytes =
          path.hasSuffix(".gz")
          ? try table.unpacked(upTo: Self.largest) : try table.bytes(upTo: Self.largest)
        file.take(bytes[...])
        file.finish()
        judged.append((sensor, file))
      }
      guard let first = judged.first?.1 else {
        throw manifest.damaged("an entry does not name the files of its sensors")
      }
      let place = first.path.split(separator: "/").dropLast().last.map(String.init)
      let name = first.name.recording ?? place ?? first.name.stem
      recordings.append(Recording(name: name, truth: truth, files: judged))
    }
  }
}
