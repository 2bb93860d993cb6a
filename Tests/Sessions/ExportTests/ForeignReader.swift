import Export
import Foundation
import LinuxSystem
import TestSupport
import Testing

/// A Python program that reads exports by the rules of each format.
enum ForeignReader {
  /// A fault found by the program.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  private static let program = Repository.path("check_export.py", beside: #filePath)

  /// Whether there is a Python with the GPX schema, as installed by `bash .ci/setup --tests`.
  static var isEquipped: Bool { FileManager.default.isExecutableFile(atPath: Repository.python) }

  /// An export as the program reads it, as an object of `JSONSerialization`.
  static func read(_ bytes: [UInt8], as format: ExportFormat) throws -> Any {
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(filePath: folder.path + "/in"))
    let status = try Program.shell(
      #"exec "$1" "$2" "$3" < "$4/in" > "$4/out" 2> "$4/errors""#,
      [
        format == .gpx && isEquipped ? Repository.python : "/usr/bin/python3", program,
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

  /// The rows of a table, by the names of the columns.
  static func table(_ bytes: [UInt8]) throws -> [[String: String]] {
    try #require(try read(bytes, as: .csv) as? [[String: String]])
  }

  /// The objects on the lines.
  static func lines(_ bytes: [UInt8]) throws -> [[String: Any]] {
    try #require(try read(bytes, as: .jsonl) as? [[String: Any]])
  }

  /// The one object of an export.
  static func object(_ bytes: [UInt8], as format: ExportFormat) throws -> [String: Any] {
    try #require(try read(bytes, as: format) as? [String: Any])
  }
}
