import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The examples in `docs/web.md`.
enum PageDocument {
  /// Returns the lines of one of the document's shell blocks.
  static func examples(_ number: Int) throws -> String {
    let text = try #require(WholeFile.text(Repository.path("docs/web.md")))
    let blocks = text.components(separatedBy: "```sh\n").dropFirst().map { block in
      String(block.components(separatedBy: "```")[0])
    }
    try #require(blocks.indices.contains(number))
    return blocks[number]
  }
}
