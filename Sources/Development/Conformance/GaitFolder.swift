internal import LinuxSystem
internal import Values

/// Reads a folder of movement recordings with reference annotations.
///
/// `sisfall/` has two files for each person. `NAME.i16.gz` contains rows of six 16-bit numbers, and
/// `NAME.json` the activity of each range of rows. `lab/` has two files for each recording.
/// `NAME.csv.gz` contains the recording, and `NAME.json` the walking bouts from a reference system.
struct GaitFolder {
  /// One recording of an activity by one person.
  struct Activity {
    var code: String
    /// The magnitude of acceleration in g, for each sample.
    var magnitudes: [Double]
  }

  /// All recordings of one person.
  struct Person {
    var name: String
    var rate: Double
    var activities: [Activity]
  }

  /// A walking bout according to the reference system, in seconds from the first sample.
  struct Bout {
    /// The time of the first foot contact. `end` is the time of the last contact.
    var start: Double
    var end: Double
    /// Speed over ground in metres per second; `nil` if unknown.
    var speed: Double?
    var seconds: Double { end - start }
  }

  /// One laboratory recording.
  struct Trial {
    var name: String
    var rate: Double
    var magnitudes: [Double]
    var bouts: [Bout]
  }

  /// The maximum size of an unpacked file in bytes. A recording of several hours is smaller.
  private static let largest = 1 << 29
  /// The waist accelerometer's counts per g: ±16 g in 13 bits.
  private static let countsPerUnit = 256.0
  /// The reference system that covers the whole path. It uses sensors on the shoes.
  private static let reference = "INDIP"

  /// The paths of people's and trials' files, without extensions.
  private(set) var people: [String] = []
  private(set) var trials: [String] = []

  /// Finds the recordings in a folder, or in its subfolders `sisfall` and `lab`.
  init(_ path: String) throws(VectorFileError) {
    guard Folder.exists(path) else {
      throw Self.unreadable(path, "it does not exist, or this user cannot read it")
    }
    for folder in [path, "\(path)/sisfall", "\(path)/lab"] where Folder.exists(folder) {
      let names: [String]
      do throws(SystemError) {
        names = try Folder.names(in: folder).sorted()
      } catch {
        throw Self.unreadable(folder, error.reason)
      }
      people += Self.stems(of: names, ending: ".i16.gz").map { "\(folder)/\($0)" }
      trials += Self.stems(of: names, ending: ".csv.gz").map { "\(folder)/\($0)" }
    }
    guard !people.isEmpty || !trials.isEmpty else {
      throw Self.unreadable(path, "it contains no recording")
    }
  }

  private static func stems(of names: [String], ending: String) -> [String] {
    names.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
  }

  // MARK: Reading

  static func person(_ path: String) throws(VectorFileError) -> Person {
    let truth = try json("\(path).json")
    guard let rate = rate(in: truth), let list = truth["recordings"]?.list else {
      throw damaged(
        "\(path).json", "its 'hertz' is missing or not above 12, or it has no 'recordings'")
    }
    let file = "\(path).i16.gz"
    let bytes = try unpacked(file)
    let rows = bytes.count / 12
    guard bytes.count % 12 == 0 else { throw damaged(file, "its last row is truncated") }
    var activities: [Activity] = []
    for entry in list {
      guard let code = entry["activity"]?.text, let first = entry["first"]?.integer,
        let count = entry["rows"]?.integer, first >= 0, count >= 0, count <= rows,
        first <= rows - count
      else { throw damaged("\(path).json", "it refers to rows that \(file) does not have") }
      let magnitudes = (first..<first + count).map { row in
        var squares = 0.0
        for axis in 0..<3 {
          let place = 12 * row + 2 * axis
          let counts = Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
          let value = Double(counts) / countsPerUnit
          squares += value * value
        }
        return squares.squareRoot()
      }
      activities.append(Activity(code: code, magnitudes: magnitudes))
    }
    return Person(name: Folder.name(of: path), rate: rate, activities: activities)
  }

  static func trial(_ path: String) throws(VectorFileError) -> Trial {
    let truth = try json("\(path).json")
    guard let rate = rate(in: truth), let bouts = truth["reference"]?[reference]?.list else {
      throw damaged(
        "\(path).json",
        "its 'hertz' is missing or not above 12, or it has no bouts from \(reference)")
    }
    var trial = Trial(name: Folder.name(of: path), rate: rate, magnitudes: [], bouts: [])
    let file = "\(path).csv.gz"
    for line in try unpacked(file).split(separator: UInt8(ascii: "\n")).dropFirst() {
      let fields = line.split(separator: UInt8(ascii: ","), maxSplits: 3)
      let values = fields.prefix(3).compactMap { Double(String(decoding: $0, as: UTF8.self)) }
      guard values.count == 3 else {
        throw damaged(file, "row \(trial.magnitudes.count + 1) does not have three numbers")
      }
      trial.magnitudes.append(values.reduce(0) { $0 + $1 * $1 }.squareRoot())
    }
    guard truth["rows"]?.integer == trial.magnitudes.count else {
      throw damaged(file, "it has \(trial.magnitudes.count) rows, but its JSON file says otherwise")
    }
    for bout in bouts {
      guard let start = bout["start"]?.number, let end = bout["end"]?.number, start <= end else {
        throw damaged("\(path).json", "one of its bouts has no start or no end")
      }
      trial.bouts.append(Bout(start: start, end: end, speed: bout["speed"]?.number))
    }
    return trial
  }

  private static func rate(in truth: JSON) -> Double? {
    truth["hertz"]?.number.flatMap { $0 >= 12 ? $0 : nil }
  }

  private static func json(_ path: String) throws(VectorFileError) -> JSON {
    try file(path).json(upTo: largest, mostValues: .max)
  }

  private static func unpacked(_ path: String) throws(VectorFileError) -> [UInt8] {
    try file(path).unpacked(upTo: largest)
  }

  private static func file(_ path: String) -> RecordingFile {
    RecordingFile(
      path: path,
      remedies: (
        "specify a folder that contains sisfall/ or lab/, or one of these two",
        "copy the recording and its JSON file again, both from the same source"
      ))
  }

  private static func unreadable(_ path: String, _ reason: String) -> VectorFileError {
    file(path).unreadable(reason)
  }

  private static func damaged(_ path: String, _ reason: String) -> VectorFileError {
    file(path).damaged(reason)
  }
}
