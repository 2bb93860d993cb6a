import Foundation
import Testing

/// A folder for a single test. It also contains the program's temporary files.
final class Scratch: Sendable {
  let path: String
  private let temporary: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/fb-e2e-\(UUID().uuidString.prefix(8))"
    temporary = path + "/tmp"
    try FileManager.default.createDirectory(
      atPath: temporary, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Makes the program use the folder for its temporary files.
  var environment: [String: String] { ["TMPDIR": temporary] }

  /// The process ids of bus daemons with a socket in the folder.
  var busDaemons: [Int] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { Int($0) }.filter { id in
      guard let words = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") else {
        return false
      }
      let line = String(decoding: words, as: UTF8.self)
      return line.contains("dbus-daemon") && line.contains(temporary)
    }
  }

  /// Expects that no file remains in the folder and that no process of the program is left.
  func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
    let files = try? FileManager.default.contentsOfDirectory(atPath: temporary)
    #expect(files == [], sourceLocation: sourceLocation)
    #expect(busDaemons.isEmpty, sourceLocation: sourceLocation)
  }
}
