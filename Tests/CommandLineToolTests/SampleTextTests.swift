import CommandLineTool
import Foundation
import Gateway
import Recording
import Terminal
import TestSupport
import Testing
import Values

@Suite(.computation) struct SampleTextTests {
  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left, \"wrist\"",
    model: "MetaMotion S", firmware: "1.7.2")
  private let acceleration = LiveSample(
    board: board,
    stream: StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, range: 8, rate: 100,
      lossAccounting: .counted),
    time: UTCTime(nanoseconds: 1_777_887_000_125_000_999), seconds: 1.2345678,
    number: 4_294_967_295,
    values: [0.0123456789, -1, 0])
  private let angles = LiveSample(
    board: board,
    stream: StreamDescription(
      signal: "euler", unit: "°", axes: ["pitch", "roll", "yaw", "heading"], rawForm: .float,
      countsPerUnit: 1, rate: 50, lossAccounting: .estimated),
    time: UTCTime(nanoseconds: 0), seconds: 0, number: 0,
    values: [-1.25, 359.9999694824219, .nan, 0])

  @Test func `a sample is printed as one JSON object with its axis names`() {
    #expect(SampleText.json.heading == nil)
    #expect(
      SampleText.json.line(acceleration)
        == #"{"time":"2026-05-04T09:30:00.125000Z","seconds":1.234568,"board":"C8:4B:AA:97:50:05","#
        + #""name":"left, \"wrist\"","signal":"acceleration","number":4294967295,"unit":"g","#
        + #""range":8,"values":{"x":0.012346,"y":-1,"z":0}}"#)
    #expect(
      SampleText.json.line(angles).hasSuffix(
        #""unit":"°","range":null,"#
          + #""values":{"pitch":-1.25,"roll":359.9999694824219,"yaw":null,"heading":0}}"#))
  }

  @Test
  func `a sample is printed with the last fix and its age, or with the reason for a missing fix`() {
    var placed = acceleration
    let fix = Fix(
      arrival: BootTime(nanoseconds: 1_000_000_000), utc: UTCTime(nanoseconds: 0),
      latitude: 53.17, longitude: -9.94, altitudeMSL: 120.5, speed: 1.4)
    placed.position = FixTrack.live(fix, at: BootTime(nanoseconds: 1_750_000_000))
    #expect(
      SampleText.json.line(placed).hasSuffix(
        #","position":{"lat":53.17,"lon":-9.94,"alt_msl":120.5,"quality":"autonomous","#
          + #""age":0.75,"method":"last"}}"#))
    #expect(
      SampleText.positionedCSV.line(placed).hasSuffix(
        ",4294967295,53.1700000,-9.9400000,120.50,autonomous,0.750,last,\(Self.last)"))
    placed.position = FixTrack.live(fix, at: BootTime(nanoseconds: 12_000_000_000))
    #expect(
      SampleText.json.line(placed).hasSuffix(#","position":null,"no_position":"stale"}"#))
    #expect(SampleText.positionedCSV.line(placed).hasSuffix(",4294967295,,,,,,stale,\(Self.last)"))
    #expect(
      SampleText.positionedCSV.heading?.hasSuffix(",fix_age,fix_method,name,unit,range") == true)
  }

  /// The columns for name, unit and range follow the columns of earlier releases.
  private static let last = #""left, ""wrist""",g,8"#

  @Test func `a sample is printed as a CSV line that ends with its name, unit and range`() {
    #expect(
      SampleText.csv.heading
        == "time_utc,seconds,board,signal,x,y,z,w,number,name,unit,range")
    #expect(
      SampleText.csv.line(acceleration)
        == "2026-05-04T09:30:00.125000Z,1.234568,C8:4B:AA:97:50:05,acceleration,"
        + "0.012346,-1.000000,0.000000,,4294967295,\(Self.last)")
    #expect(
      SampleText.csv.line(angles)
        == "1970-01-01T00:00:00.000000Z,0.000000,C8:4B:AA:97:50:05,euler,"
        + #"-1.25,359.9999694824219,,0.0,0,"left, ""wrist""",°,"#)
  }
}
