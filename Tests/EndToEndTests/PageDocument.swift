import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The examples in `docs/web.md`.
enum PageDocument {
  /// The lines of one of its blocks for a shell.
  static func examples(_ number: Int) throws -> String {
    let text = try #require(WholeFile.text(Repository.path("docs/web.md")))
    let blocks = text.components(separatedBy: "```sh\n").dropFirst().map { block in
      String(block.components(separatedBy: "```")[0])
    }
    try #require(blocks.indices.contains(number))
    return blocks[number]
  }
}
