import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct WatchListTests {
  /// Returns the names of the descriptors that are ready now, in order.
  private func ready(_ list: inout WatchList) -> [UInt64] {
    list.wait(seconds: 0)
    return (0..<list.count).map { list.name(at: $0) }.sorted()
  }

  @Test func `a descriptor is reported by its name while it has input`() throws {
    var list = try WatchList()
    let (first, second) = (try WakeUp(), try WakeUp())
    list.add(first.number, as: 7)
    list.add(second.number, as: .max)
    #expect(ready(&list) == [])
    first.ring()
    #expect(ready(&list) == [7])
    second.ring()
    #expect(ready(&list) == [7, .max])
    #expect(ready(&list) == [7, .max])
    first.clear()
    #expect(ready(&list) == [.max])
  }

  @Test func `a removed descriptor is no longer reported, and can be added again`() throws {
    var list = try WatchList()
    let wake = try WakeUp()
    wake.ring()
    list.add(wake.number, as: 1)
    list.remove(wake.number)
    #expect(ready(&list) == [])
    list.add(wake.number, as: 2)
    #expect(ready(&list) == [2])
  }

  @Test func `closing the other end also wakes the watcher`() throws {
    var list = try WatchList()
    var kept: DescriptorBox?
    let other = try OwnedDescriptor.packetSocketPair().split {
      list.add($0.number, as: 3)
      kept = DescriptorBox($0)
    }
    #expect(ready(&list) == [])
    _ = consume other
    #expect(ready(&list) == [3])
    _ = kept?.take()
  }
}
