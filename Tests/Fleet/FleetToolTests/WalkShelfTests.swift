import TestSupport
import Testing
import Values

@testable import FleetTool

/// The rules for keeping and deleting copies of the walks in a fleet.
@Suite(.computation) struct WalkShelfTests {
  private let walks = (0..<6).map { number in
    FleetWalk(
      session: UniqueID(high: 1, low: UInt64(number)), gateway: UniqueID(high: 2, low: 0))
  }

  @Test func `the least recently used copy of a walk is removed first`() {
    var shelf = WalkShelf<Int>(most: 3, mostBytes: 1_000)
    for number in 0..<3 { #expect(shelf.put(number, of: walks[number], bytes: 1) == []) }
    #expect(shelf.use(walks[0]) == 0)
    #expect(shelf.put(3, of: walks[3], bytes: 1) == [1])
    #expect(shelf.use(walks[1]) == nil)
    #expect(shelf.put(4, of: walks[4], bytes: 1) == [2])
    #expect([0, 3, 4].allSatisfy { shelf.use(walks[$0]) == $0 })
    #expect((0..<4).map { _ in shelf.removeOldest() } == [0, 3, 4, nil])
  }

  @Test func `a newer copy of a walk replaces the older one`() {
    var shelf = WalkShelf<Int>(most: 2, mostBytes: 1_000)
    #expect(shelf.put(0, of: walks[0], bytes: 900) == [])
    #expect(shelf.put(1, of: walks[0], bytes: 900) == [0])
    #expect(shelf.put(2, of: walks[1], bytes: 100) == [])
    #expect(shelf.use(walks[0]) == 1)
    var other = walks[0]
    other.gateway = UniqueID(high: 3, low: 0)
    #expect(shelf.use(other) == nil)
  }

  @Test func `the newest copy is kept, even if it alone is larger than the limit`() {
    var shelf = WalkShelf<Int>(most: 5, mostBytes: 1_000)
    for number in 0..<3 { #expect(shelf.put(number, of: walks[number], bytes: 300) == []) }
    #expect(shelf.put(3, of: walks[3], bytes: 400) == [0])
    #expect(shelf.put(4, of: walks[4], bytes: 5_000) == [1, 2, 3])
    #expect(shelf.use(walks[4]) == 4)
    #expect(shelf.put(5, of: walks[5], bytes: 1) == [4])
  }
}
