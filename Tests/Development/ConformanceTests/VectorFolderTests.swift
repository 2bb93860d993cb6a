import Conformance
import Foundation
import TestSupport
import Testing

@Suite(.computation) struct VectorFolderTests {
  /// The folder of vectors, which is stored outside this package.
  static let folder = Repository.vectors

  @Test func `every MetaWear vector passes, and no vector is skipped`() throws {
    let path = "\(Self.folder)/metawear"
    guard FileManager.default.fileExists(atPath: path) else {
      try Test.cancel("there are no vectors at \(path); set FOOTBRIDGE_VECTORS to their folder")
    }
    let verdict = try Format.metawear.run(paths: [path])
    for line in verdict.lines { print(line) }
    #expect(verdict.failures.isEmpty)
    #expect(verdict.skips.isEmpty)
    #expect(verdict.passed > 0)
  }
}
