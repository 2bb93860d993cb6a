import Export
import Foundation
import LinuxSystem
import TestSupport
import Testing

/// A Python program that reads exports according to the rules of each format.
enum ForeignReader {
  /// A fault that the Python program found in an export.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  private static let program = Repository.path("check_export.py", beside: #filePath)

  /// Whether the Python environment with the GPX schema exists. `bash .ci/setup --tests` installs
  /// it.
  static var isEquipped: Bool { FileManager.default.isExecutableFile(atPath: Repository.python) }

  /// Returns an export as the program parsed it, converted by `JSONSerialization`.
  static func read(_ bytes: [UInt8], as format: ExportFormat) throws -> Any {
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(filePath: folder.path + "/in"))
    let status = try Program.shell(
      #"exec "$1" "$2" "$3" < "$4/in" > "$4/out" 2> "$4/errors""#,
      [
        [.gpx, .sto].contains(format) && isEquipped ? Repository.python : "/usr/bin/python3",
        program,
        format.rawValue,
        folder.path,
      ])
    guard status == 0 else {
      throw Refusal(
        description: try String(contentsOfFile: folder.path + "/errors", encoding: .utf8))
    }
    let json = try Data(contentsOf: URL(filePath: folder.path + "/out"))
    return try JSONSerialization.jsonObject(with: json)
  }

  /// Returns the rows of a table, keyed by column name.
  static func table(_ bytes: [UInt8]) throws -> [[String: String]] {
    try #require(try read(bytes, as: .csv) as? [[String: String]])
  }

  /// Returns the objects from an export with one object per line.
  static func lines(_ bytes: [UInt8]) throws -> [[String: Any]] {
    try #require(try read(bytes, as: .jsonl) as? [[String: Any]])
  }

  /// Returns the object from an export that consists of a single object.
  static func object(_ bytes: [UInt8], as format: ExportFormat) throws -> [String: Any] {
    try #require(try read(bytes, as: format) as? [String: Any])
  }
}
