import TestSupport
import Testing
import Upload
import Values

@testable import Gateway

@Suite(.computation) struct DatabasePlacesTests {
  private func at(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 1_000_000_000_000).advanced(bySeconds: seconds)
  }

  private func location(_ name: String, age: Double, validity: Double = 60) -> PublishedLocation {
    PublishedLocation(name: name, latitude: 48, longitude: 16, age: age, validity: validity)
  }

  @Test func `a position becomes stale after two intervals, and is removed when it expires`() {
    var places = DatabasePlaces()
    places.take([location("b", age: 5), location("a", age: 0, validity: 45)], at: at(0))
    #expect(places.others(at: at(1)).map(\.name) == ["a", "b"])
    #expect(places.others(at: at(1)).map(\.age) == [1, 6])
    #expect(places.others(at: at(34.9)).map(\.isStale) == [false, false])
    #expect(places.others(at: at(35)).map(\.isStale) == [false, true])
    #expect(places.others(at: at(45)).map(\.name) == ["b"])
    #expect(places.others(at: at(60)) == [])
    // When a gateway stops recording, it deletes its document.
    places.take([location("a", age: 0)], at: at(10))
    #expect(places.others(at: at(10)).map(\.name) == ["a"])
  }

  @Test func `if a gateway is found at the broker and in the database, the later fix is shown`() {
    func other(_ name: String, _ age: Double, _ latitude: Double) -> OtherGateway {
      OtherGateway(name: name, latitude: latitude, longitude: 16, age: age, isStale: false)
    }
    let shared = [other("a", 3, 1), other("b", 9, 1), other("c", 4, 1), other("d", 1, 1)]
    let published = [other("a", 4, 2), other("b", 8, 2), other("c", 4, 2), other("e", 1, 2)]
    let merged = OtherGateway.merged(shared, published)
    #expect(merged.map(\.name) == ["a", "b", "c", "d", "e"])
    #expect(merged.map(\.latitude) == [1, 2, 1, 1, 2])
    // Many computers have the same default name, such as raspberrypi.
    let twins = [other("raspberrypi", 2, 1), other("raspberrypi", 3, 2)]
    #expect(OtherGateway.merged([], twins) == twins)
    let many = (0..<80).map { other("g\($0)", 1, 1) }
    #expect(OtherGateway.merged(many, many.map { other("x" + $0.name, 1, 1) }).count == 100)
  }
}
