import NMEA
import Recording
import TestSupport
import Testing
import Values

/// The rules for choosing the sentence from which each part of a fix is taken.
@Suite(.computation) struct EpochSourceTests {
  static let date = "GPRMC,093000,A,5303.0,N,00903.0,E,,,040526,,,A"
  static let gga = "GPGGA,093000,5301.0,N,00901.0,E,1,08,1.0,100.0,M,40.0,M,,"
  static let gns = "GNGNS,093000,5302.0,N,00902.0,E,AN,12,0.8,102.0,41.0,,"
  static let gll = "GPGLL,5304.0,N,00904.0,E,093000,A,A"
  static let ublox = "PUBX,00,093000,5305.0,N,00905.0,E,150.0,D3,2.0,3.0,3.6,90,0,,0.7,1,1,9,0,0"

  @Test(arguments: [
    ([date, gll, ublox, gns, gga], 1), ([date, gll, ublox, gns], 2), ([gll, ublox, date], 3),
  ])
  func `the position is taken from GGA, or else GNS or RMC, whatever the order of the sentences`(
    _ bodies: [String], _ minute: Int
  ) {
    let latitude = 53 + Double(minute) / 60
    #expect(fixes(bodies).map { abs($0.latitude - latitude) < 1e-9 } == [true])
  }

  @Test func `the altitude and the number of satellites are taken from GNS if there is no GGA`() {
    let fix = fixes([Self.date, Self.gns]).first
    #expect(fix?.altitudeMSL == 102)
    #expect(fix?.geoidSeparation == 41)
    #expect(fix?.satellites == 12)
    #expect(fix?.isThreeDimensional == true)
  }

  @Test(arguments: [
    ("AN", Fix.Quality.autonomous), ("NA", .autonomous), ("DA", .differential), ("EA", .autonomous),
    ("EN", .estimated), ("RF", .realTimeKinematic), ("AS", .simulated), ("PN", .precise),
  ])
  func `a GNS fix has its best constellation's quality, unless a constellation is simulated`(
    _ modes: String, _ quality: Fix.Quality
  ) {
    let gns = "GNGNS,093000,5302.0,N,00902.0,E,\(modes),12,0.8,102.0,41.0,,"
    #expect(fixes(["GPZDA,093000,04,05,2026,00,00", gns]).map(\.quality) == [quality])
  }

  @Test func `a GNS sentence with mode N for all constellations yields no fix`() {
    let gns = "GNGNS,093000,5302.0,N,00902.0,E,NN,12,0.8,102.0,41.0,,"
    #expect(fixes([Self.date, gns]).isEmpty)
  }

  @Test func `VTG supplies the speed and the course that RMC lacks`() {
    let vtg = "GPVTG,12.5,T,,M,10.0,N,18.52,K,A"
    let fix = fixes([Self.date, vtg]).first
    #expect(abs((fix?.speed ?? 0) - 5.1444444) < 1e-6)
    #expect(fix?.track == 12.5)
    let moving = "GPRMC,093000,A,5303.0,N,00903.0,E,2.0,,040526,,,A"
    let mixed = fixes([moving, vtg]).first
    #expect(abs((mixed?.speed ?? 0) - 1.0288889) < 1e-6)
    #expect(mixed?.track == 12.5)
  }

  @Test func `without another satellite count, each satellite in the GSA lists is counted once`() {
    let gps = "GNGSA,A,3,02,05,11,12,,,,,,,,,1.6,0.9,1.3,1"
    let galileo = "GNGSA,A,3,02,05,11,,,,,,,,,,1.6,0.9,1.3,3"
    let fix = fixes([Self.date, gps, galileo, gps]).first
    #expect(fix?.satellites == 7)
    #expect(fix?.isThreeDimensional == true)
    #expect(fix?.hdop == 0.9)
  }

  @Test
  func `in a GSA list with 24 satellite fields, the dilutions of precision are read after them`() {
    let list = (1...20).map(String.init).joined(separator: ",") + ",,,,"
    let fix = fixes([Self.date, "GNGSA,A,2,\(list),1.6,0.9,1.3,1"]).first
    #expect(fix?.satellites == 20)
    #expect(fix?.hdop == 0.9)
    #expect(fix?.isThreeDimensional == false)
  }

  @Test func `u-blox's proprietary sentences yield a fix with its date`() throws {
    let fix = try #require(fixes([Self.ublox, "PUBX,04,093000,040526,34200,2417,18,0,0,21"]).first)
    #expect(fix.utc.iso8601(decimals: 0) == "2026-05-04T09:30:00Z")
    #expect(abs((fix.speed ?? 0) - 1) < 1e-9)
    #expect(fix.track == 90)
    #expect(fix.quality == .differential)
    #expect(fix.satellites == 9)
    #expect(fix.isThreeDimensional)
    // These sentences contain the altitude above the ellipsoid. The altitude above sea level is
    // unknown, because the height of the geoid is missing.
    #expect(fix.altitudeMSL == nil)
    #expect(fix.error?.basis == .reported)
  }

  @Test(arguments: ["NF", "TT"])
  func `if u-blox's proprietary sentence reports no fix, RMC's position is not used`(
    _ status: String
  ) {
    let void = "PUBX,00,093000,5305.0,N,00905.0,E,0,\(status),9,9,0,0,0,,99.99,99.99,99.99,0,0,0"
    #expect(fixes([Self.date, void]).isEmpty)
  }

  // MARK: Errors

  struct Statement: CustomTestStringConvertible {
    let bodies: [String]
    let horizontal: Double
    let vertical: Double?
    let basis: Fix.ErrorEstimate.Basis
    var testDescription: String { bodies.last ?? "" }
  }

  @Test(arguments: [
    Statement(
      bodies: [date, gga, "GPGST,093000,5,9,9,0,3.0,4.0,10.0"], horizontal: 10, vertical: 19.6,
      basis: .reported),
    Statement(
      bodies: [date, gga, "PGRME,5.0,M,10.0,M,11.0,M"], horizontal: 10.4, vertical: 29.1,
      basis: .reported),
    Statement(
      bodies: ["GPGST,093000,5,9,9,0,3.0,4.0,", date, gga], horizontal: 10, vertical: nil,
      basis: .reported),
    Statement(bodies: [date, ublox], horizontal: 4, vertical: 5.88, basis: .reported),
    Statement(bodies: [date, gga], horizontal: 15, vertical: nil, basis: .dilution),
    Statement(
      bodies: [date, gga, "GPGSA,A,3,01,02,03,04,,,,,,,,,2.0,9.9,1.5"], horizontal: 15,
      vertical: 34.5, basis: .dilution),
    Statement(
      bodies: [date, "GPGGA,093000,5301.0,N,00901.0,E,2,08,2.0,100.0,M,40.0,M,,"],
      horizontal: 7.5, vertical: nil, basis: .dilution),
  ])
  func `a fix's error is taken from the receiver, or else estimated from the dilution of precision`(
    _ statement: Statement
  ) throws {
    let error = try #require(fixes(statement.bodies).first?.error)
    #expect(abs(error.horizontal - statement.horizontal) < 1e-9)
    #expect((error.vertical == nil) == (statement.vertical == nil))
    #expect(abs((error.vertical ?? 0) - (statement.vertical ?? 0)) < 1e-9)
    #expect(error.basis == statement.basis)
  }

  @Test
  func `no error is estimated for an unmeasured position or without a dilution of precision`() {
    for quality in [6, 7, 8] {
      let gga = "GPGGA,093000,5301.0,N,00901.0,E,\(quality),08,1.0,100.0,M,40.0,M,,"
      #expect(fixes([Self.date, gga]).map(\.error) == [nil])
    }
    #expect(fixes([Self.date]).map(\.error) == [nil])
  }

  @Test func `an error report that arrives one cycle late is not used for another epoch`() {
    var bodies: [String] = []
    for second in 1...6 {
      bodies += [
        "GPRMC,09300\(second),A,5303.0,N,00903.0,E,,,040526,,,A",
        "GPGGA,09300\(second),5301.0,N,00901.0,E,1,08,1.0,100.0,M,40.0,M,,",
        "GPGST,09300\(second - 1),5,9,9,0,3.0,4.0,10.0",
      ]
    }
    let found = fixes(bodies)
    #expect(found.count == 6)
    #expect(Set(found.map(\.utc)).count == 6)
    #expect(found.allSatisfy { $0.error?.basis == .dilution })
  }

  @Test func `a position sentence that arrives one second late yields no additional fix`() {
    var bodies: [String] = []
    for second in 1...6 {
      bodies += [
        "GPRMC,09300\(second),A,5303.0,N,00903.0,E,,,040526,,,A",
        "GPGGA,09300\(second),5301.0,N,00901.0,E,1,08,1.0,100.0,M,40.0,M,,",
      ]
      if second > 1 { bodies.append("GPGLL,5304.0,N,00904.0,E,09300\(second - 1),V,N") }
    }
    let found = read(bodies.flatMap(line)).reports
    #expect(found.count == 6)
    #expect(fixes(bodies).count == 6)
  }

  // MARK: Time without position

  private func time(_ bodies: [String]) -> ReceiverTime? {
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    for body in bodies {
      let bytes = line(body)
      reader.receive(bytes.span, at: BootTime(nanoseconds: 7)) { _ in }
    }
    reader.flush { _ in }
    return reader.time
  }

  @Test func `a receiver without a fix still reports the time`() throws {
    let searching = try #require(time(["GPRMC,093000.5,V,,,,,,,060180,,,N"]))
    #expect(searching.timeOfDay.nanoseconds == 34_200_500_000_000)
    #expect(searching.arrival == BootTime(nanoseconds: 7))
    #expect(!searching.hasFix)
    // A receiver without a fix may send an arbitrary date.
    #expect(searching.utc == nil)
  }

  @Test func `the date remains known after a fix is lost`() throws {
    let lost = try #require(time([Self.date, "GPRMC,093001,V,,,,,,,,,,N"]))
    #expect(lost.utc?.iso8601(decimals: 0) == "2026-05-04T09:30:01Z")
    #expect(!lost.hasFix)
    #expect(try #require(time([Self.date])).hasFix)
  }

  @Test func `a receiver that does not know the time reports no time`() {
    #expect(time(["GNRMC,,V,,,,,,,,,,N", "GNGGA,,,,,,0,00,99.99,,,,,,"]) == nil)
  }
}
