import LinuxSystem
@testable import Positioning
import TestSupport
import Testing

@Suite(.computation) struct PositionSourceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var source: PositionSource
    var testDescription: String { text }
  }

  static let cases = [
    Case(text: "/dev/gps0", source: .serial("/dev/gps0", speed: nil)),
    Case(text: "/dev/ttyUSB*", source: .serial("/dev/ttyUSB*", speed: nil)),
    Case(text: "/dev/ttyUSB0@38400", source: .serial("/dev/ttyUSB0", speed: .baud38400)),
    // The name of a folder may contain an @.
    Case(text: "/dev/a@b/gps", source: .serial("/dev/a@b/gps", speed: nil)),
    Case(text: "gpsd", source: .gpsd(.init())),
    Case(text: "gpsd://pi", source: .gpsd(.init(host: "pi"))),
    Case(text: "gpsd://pi:2948", source: .gpsd(.init(host: "pi", port: 2_948))),
    Case(
      text: "gpsd://pi/dev/ttyUSB0", source: .gpsd(.init(host: "pi", device: "/dev/ttyUSB0"))),
    Case(
      text: "gpsd://[::1]:4000/dev/ttyACM0",
      source: .gpsd(.init(host: "::1", port: 4_000, device: "/dev/ttyACM0"))),
    Case(text: "file:walk.nmea", source: .file(.init(path: "walk.nmea"))),
    Case(text: "file:/x:y", source: .file(.init(path: "/x:y"))),
    Case(
      text: "fixed:53.168,-9.94", source: .fixed(.init(latitude: 53.168, longitude: -9.94))),
    Case(
      text: "fixed:-90.0,180.0,62.5",
      source: .fixed(.init(latitude: -90, longitude: 180, altitudeMSL: 62.5))),
  ]

  @Test(arguments: cases)
  func `a position source is parsed from its text form and described by the same text`(
    _ example: Case
  ) {
    #expect(PositionSource(example.text) == example.source)
    #expect(example.source.description == example.text)
  }

  @Test(arguments: [
    "", "file:", "gpsd://", "gpsd://:2947", "gpsd://pi:0", "gpsd://pi:99999", "gpsd://pi:x",
    "gpsd://pi/dev/a\"b", "/dev/ttyUSB0@9601", "/dev/ttyUSB0@", "@9600", "fixed:", "fixed:1",
    "fixed:91,0", "fixed:0,181", "fixed:1,2,3,4", "fixed:nan,0", "fixed:0x1,2", "fixed:1,2,",
  ])
  func `invalid text is not accepted as a position source`(_ text: String) {
    #expect(PositionSource(text) == nil)
  }

  @Test func `only position sources that report the current time may date a session`() {
    #expect(PositionSource("gpsd")?.knowsTheTime == true)
    #expect(PositionSource("/dev/gps0")?.knowsTheTime == true)
    #expect(PositionSource("file:x")?.knowsTheTime == false)
    #expect(PositionSource("fixed:0,0")?.knowsTheTime == false)
  }
}
