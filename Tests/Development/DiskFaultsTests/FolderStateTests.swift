import DiskFaults
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct FolderStateTests {
  private var random = SystemRandomNumberGenerator()

  private func state(_ operations: [FileOperation]) -> FolderState {
    operations.reduce(into: FolderState()) { $0.apply($1) }
  }

  private mutating func images(
    _ operations: [FileOperation], _ count: Int = 200
  ) -> Set<[String: [UInt8]]> {
    let state = state(operations)
    return Set((0..<count).map { _ in state.image(.drawn, using: &random) })
  }

  @Test mutating func `after a power cut, synced data are present in every possible state`() {
    let operations: [FileOperation] = [
      .create("a"), .write("a", at: 0, [1, 2, 3]), .sync("a"), .syncFolder,
      .write("a", at: 1, [9]),
    ]
    #expect(images(operations) == [["a": [1, 2, 3]], ["a": [1, 9, 3]]])
    #expect(state(operations).image(.lost, using: &random) == ["a": [1, 2, 3]])
    #expect(state(operations).image(.kept, using: &random) == ["a": [1, 9, 3]])
  }

  @Test mutating func `after a power cut, any subset of the unsynced writes may be present`() {
    let images = images([
      .create("a"), .write("a", at: 0, [0, 0, 0]), .sync("a"), .syncFolder,
      .write("a", at: 0, [1]), .write("a", at: 1, [2]), .write("a", at: 2, [3]),
    ])
    #expect(images.count == 8)
    #expect(images.contains(["a": [0, 0, 3]]))
  }

  @Test mutating func `a power cut tears a write only between sectors`() throws {
    let old = [UInt8](repeating: 0, count: 2_048)
    let new = [UInt8](repeating: 7, count: 1_024)
    let images = images([
      .create("a"), .write("a", at: 0, old), .sync("a"), .syncFolder, .write("a", at: 256, new),
    ])
    // Two partial sectors and a whole one between them.
    #expect(images.count == 8)
    for image in images {
      let bytes = try #require(image["a"])
      for part in [0..<256, 256..<512, 512..<1_024, 1_024..<1_280, 1_280..<2_048] {
        #expect(Set(bytes[part]).count == 1)
      }
    }
  }

  @Test
  mutating func `after a power cut, an extended file may have its new length without its bytes`() {
    let images = images([
      .create("a"), .syncFolder, .write("a", at: 0, [UInt8](repeating: 5, count: 512)),
    ])
    let lengths = Set(images.compactMap { $0["a"]?.count })
    #expect(lengths == [0, 512])
    #expect(images.contains(["a": [UInt8](repeating: 0, count: 512)]))
  }

  @Test mutating func `renames take effect in order, but may be lost until the folder is synced`() {
    let operations: [FileOperation] = [
      .create("a"), .write("a", at: 0, [1]), .sync("a"), .rename("a", to: "b"), .create("c"),
      .remove("c"),
    ]
    // A file gets its new name before the old one disappears.
    #expect(
      images(operations) == [
        [:], ["a": [1]], ["a": [1], "b": [1]], ["b": [1]], ["b": [1], "c": []],
      ])
    #expect(images(operations + [.syncFolder]) == [["b": [1]]])
  }

  @Test mutating func `after a power cut, an unsynced truncation may be missing`() {
    let images = images([
      .create("a"), .write("a", at: 0, [1, 2, 3]), .sync("a"), .syncFolder,
      .truncate("a", length: 1),
    ])
    #expect(images == [["a": [1, 2, 3]], ["a": [1]]])
  }

  @Test mutating func `a write lost in a failed sync is not made durable by the next sync`() {
    let operations: [FileOperation] = [
      .create("a"), .syncFolder, .write("a", at: 0, [1]), .sync("a", hasFailed: true),
      .write("a", at: 1, [2]), .sync("a"),
    ]
    #expect(state(operations).image(.lost, using: &random) == ["a": [0, 2]])
    // Only repeating the write makes the data durable.
    let again = operations + [.write("a", at: 0, [1]), .sync("a")]
    #expect(images(again) == [["a": [1, 2]]])
  }
}
