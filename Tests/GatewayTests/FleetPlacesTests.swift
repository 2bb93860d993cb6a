import LinuxSystem
import Sharing
import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct FleetPlacesTests {
  private let boot = BootTime(nanoseconds: 1_000_000_000_000)
  private let utc = UTCTime(nanoseconds: 1_795_000_000_000_000_000)
  private var places = FleetPlaces(fleet: "study", except: "own")

  private func at(_ seconds: Double) -> BootTime { boot.advanced(bySeconds: seconds) }

  private func utc(_ seconds: Double) -> UTCTime {
    UTCTime(nanoseconds: utc.nanoseconds + Int64(seconds * 1e9))
  }

  private func payload(fixed: Double, sent: Double, isClockGood: Bool = true) -> [UInt8] {
    SharedLocation(time: utc(fixed), latitude: 48, longitude: 16).payload(
      LiveTimes(sent: utc(sent), validity: 60, isClockSynchronised: isClockGood))
  }

  private func arrival(
    _ seconds: Double, isClockGood: Bool = true, isDirect: Bool = true
  ) -> LiveMessage.Arrival {
    .init(
      boot: at(seconds), utc: utc(seconds), isClockSynchronised: isClockGood, isDirect: isDirect)
  }

  private func topic(_ name: String) -> String { "footbridge/study/\(name)/location" }

  @Test mutating func `a position becomes stale after two intervals, and is removed after an hour`()
  {
    // The gateway repeats its message every 20 s, a third of its validity of 60 s. Each fix is 2 s
    // older than its message.
    places.take(topic("b"), payload(fixed: 0, sent: 2), at: arrival(3, isDirect: false))
    places.take(topic("a"), payload(fixed: 10, sent: 12), at: arrival(12))
    #expect(places.others(at: at(12)).map(\.name) == ["a", "b"])
    #expect(places.others(at: at(12)).map(\.age) == [2, 12])
    #expect(places.others(at: at(39.9)).map(\.isStale) == [false, false])
    #expect(places.others(at: at(40)).map(\.isStale) == [false, true])
    places.take(topic("b"), payload(fixed: 41, sent: 41), at: arrival(41))
    #expect(places.others(at: at(41)).last?.isStale == false)
    // A gateway that lost reception repeats its last fix, which stays stale.
    places.take(topic("b"), payload(fixed: 41, sent: 100), at: arrival(100))
    #expect(places.others(at: at(100)).last?.isStale == true)
    #expect(places.others(at: at(3_610)).map(\.name) == ["b"])
    #expect(places.others(at: at(3_641)) == [])
  }

  @Test mutating func `a position of unknown age is not shown`() {
    func names() -> [String] { places.others(at: at(0)).map(\.name) }
    places.take(topic("a"), payload(fixed: -4, sent: 0), at: arrival(0, isClockGood: false))
    #expect(places.others(at: at(1)).map(\.age) == [5])
    places.take(
      topic("a"), payload(fixed: -4, sent: 0), at: arrival(0, isClockGood: false, isDirect: false))
    #expect(names() == [])
    places.take(
      topic("a"), payload(fixed: -4, sent: 0, isClockGood: false),
      at: arrival(0, isClockGood: false))
    #expect(names() == [])
    // Fixes from the future, and fixes that are more than an hour old.
    places.take(topic("a"), payload(fixed: 6, sent: 0), at: arrival(0))
    places.take(topic("b"), payload(fixed: -3_600, sent: 0), at: arrival(0))
    #expect(names() == [])
    // The time of a fix is correct even if the other gateway's clock is not.
    places.take(topic("a"), payload(fixed: -4, sent: 900, isClockGood: false), at: arrival(0))
    #expect(places.others(at: at(0)).map(\.age) == [4])
  }

  @Test mutating func `invalid messages are ignored, and an empty message removes a position`() {
    let payload = payload(fixed: 0, sent: 0)
    for name in [
      topic("own"), topic("\u{1b}[2J"), topic("a\u{202e}b"), "footbridge/other/a/location",
      "footbridge/study/a/status", "footbridge/study/a/b/location", "",
    ] {
      places.take(name, payload, at: arrival(0))
    }
    #expect(places.others(at: at(0)) == [])
    places.take(topic("a"), payload, at: arrival(0))
    for bytes in [nil, Array("{}".utf8), Array(payload.dropLast())] {
      places.take(topic("a"), bytes, at: arrival(1))
    }
    #expect(places.others(at: at(1)).map(\.age) == [1])
    places.take(topic("a"), [], at: arrival(1))
    #expect(places.others(at: at(1)) == [])
  }

  @Test
  mutating func `if the list is full, a new gateway can replace only the oldest stale gateway`() {
    for number in 0..<FleetPlaces.most {
      let fixed = number == 7 ? -1.0 : 0
      places.take(topic("g\(number)"), payload(fixed: fixed, sent: 0), at: arrival(0))
    }
    places.take(topic("new"), payload(fixed: 38, sent: 38), at: arrival(38))
    #expect(!places.others(at: at(38)).contains { $0.name == "new" })
    places.take(topic("new"), payload(fixed: 50, sent: 50), at: arrival(50))
    let names = places.others(at: at(50)).map(\.name)
    #expect(names.count == FleetPlaces.most)
    #expect(names.contains("new") && !names.contains("g7"))
  }
}
