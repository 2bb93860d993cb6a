import BlueZ
@testable import Gateway
import TestSupport
import Testing
import Values

/// Signs that missing samples are probably the fault of an adapter.
@Suite(.computation) struct AdapterWatchTests {
  private let left = BoardAddress(value: 1)
  private let right = BoardAddress(value: 2)

  private func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  private func adapter(
    linked: [BoardAddress] = [], since: Double? = nil,
    _ change: (inout AdapterCondition) -> Void = { _ in }
  ) -> AdapterCondition {
    var adapter = AdapterCondition(
      key: "00:1A:7D:DA:71:0A", path: "/org/bluez/hci0", name: "hci0", linked: linked,
      linkedSince: since)
    change(&adapter)
    return adapter
  }

  @Test func `if one linked board sends reliably, its adapter is considered to be working`() {
    var watch = AdapterWatch()
    let ages = [left: 0.5, right: 900]
    let found = adapter(linked: [left, right], since: 1) { $0.refused = [right] }
    for second in 100...400 {
      let now = time(Double(second))
      #expect(watch.judge(found, sampleAge: { ages[$0] }, at: now) == .well)
    }
  }

  @Test func `if all linked boards fall silent, the adapter is considered to be failing`() {
    var watch = AdapterWatch()
    let found = adapter(linked: [left, right], since: 1)
    #expect(watch.judge(found, sampleAge: { _ in 11 }, at: time(100)) == .sick)
    #expect(watch.sign == .silent([left, right]))
    #expect(watch.judge(found, sampleAge: { _ in 1 }, at: time(101)) == .well)
    #expect(watch.sign == nil)
  }

  @Test func `a board that answers but sends no samples is not a sign of a failing adapter`() {
    var watch = AdapterWatch()
    let found = adapter(linked: [left, right], since: 1)
    func judge(isAnswering: Bool, at seconds: Double) -> Ladder.Condition {
      watch.judge(
        found, sampleAge: { _ in 11 }, isAnswering: { $0 == left && isAnswering },
        at: time(seconds))
    }
    #expect(judge(isAnswering: false, at: 100) == .sick)
    #expect(judge(isAnswering: true, at: 101) == .unclear)
    #expect(watch.sign == nil)
    #expect(judge(isAnswering: false, at: 102) == .sick)
  }

  @Test func `a new link is given time for its first sample, but a series of new links is not`() {
    var watch = AdapterWatch()
    let age: (BoardAddress) -> Double? = { _ in 300 }
    let first = adapter(linked: [left], since: 100)
    #expect(watch.judge(first, sampleAge: age, at: time(114)) == .unclear)
    #expect(watch.judge(first, sampleAge: age, at: time(115)) == .sick)
    var other = AdapterWatch()
    for (link, expected) in [(200.0, Ladder.Condition.unclear), (210, .unclear), (220, .sick)] {
      let found = adapter(linked: [left], since: link)
      #expect(other.judge(found, sampleAge: age, at: time(link + 3)) == expected)
    }
  }

  @Test
  func `a board that waits for other boards before it starts is not a sign of a failing adapter`() {
    var watch = AdapterWatch()
    let found = adapter(linked: [left], since: 10)
    #expect(watch.judge(found, sampleAge: { _ in nil }, at: time(60)) == .unclear)
  }

  @Test
  func `an adapter that hears a board but cannot connect to it is considered faulty`() {
    var watch = AdapterWatch()
    let away = adapter { $0.isSearching = true }
    #expect(watch.judge(away, sampleAge: { _ in nil }, at: time(50)) == .unclear)
    let refused = adapter { $0.refused = [left] }
    #expect(watch.judge(refused, sampleAge: { _ in nil }, at: time(51)) == .sick)
    #expect(watch.sign == .refusing([left]))
  }

  @Test func `an adapter that hears no device in 90 s of scanning is considered deaf`() {
    var watch = AdapterWatch()
    let scanning = adapter { $0.isSearching = true }
    func judge(_ adapter: AdapterCondition, _ seconds: Double) -> Ladder.Condition {
      watch.judge(adapter, sampleAge: { _ in nil }, at: time(seconds))
    }
    #expect(judge(scanning, 10) == .unclear)
    #expect(judge(scanning, 99) == .unclear)
    #expect(judge(scanning, 100) == .sick)
    // Any advertisement proves that the adapter is receiving.
    let hearing = adapter {
      $0.isSearching = true
      $0.lastHeard = 101
    }
    #expect(judge(hearing, 101) == .unclear)
    #expect(judge(hearing, 190) == .unclear)
    #expect(judge(hearing, 191) == .sick)
    #expect(judge(adapter(), 192) == .unclear)
  }

  @Test func `an adapter is left alone if a user powered it off or other programs use it`() {
    var watch = AdapterWatch()
    let off = adapter { $0.isOn = false }
    #expect(watch.judge(off, sampleAge: { _ in nil }, at: time(500)) == .unclear)
    let shared = adapter(linked: [left], since: 1) { $0.hasForeignLink = true }
    #expect(watch.judge(shared, sampleAge: { _ in 100 }, at: time(500)) == .unclear)
    let stuck = adapter {
      $0.isOn = false
      $0.isStuck = true
    }
    #expect(watch.judge(stuck, sampleAge: { _ in nil }, at: time(500)) == .sick)
  }
}
