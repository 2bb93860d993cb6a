import NMEA
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct EpochMergerTests {
  static let place = "5310.0,N,00956.0,E"

  static func rmc(_ time: String, _ date: String = "040526", mode: String = "A") -> String {
    "GPRMC,\(time),A,\(place),1.0,90.0,\(date),,,\(mode)"
  }

  static func gga(_ time: String, quality: Int = 1, satellites: Int = 8) -> String {
    "GPGGA,\(time),\(place),\(quality),\(satellites),1.0,100.0,M,40.0,M,,"
  }

  static func reports(_ bodies: [String]) -> [PositionReport] {
    read(bodies.flatMap(line)).reports
  }

  struct Contradiction: CustomTestStringConvertible {
    let name: String
    let bodies: [String]
    var testDescription: String { name }
  }

  @Test(arguments: [
    Contradiction(
      name: "RMC says void", bodies: [gga("093000"), "GPRMC,093000,V,,,,,,,040526,,,N"]),
    Contradiction(
      name: "GGA says no quality", bodies: [rmc("093000"), "GPGGA,093000,,,,,0,00,,,,,,,"]),
    Contradiction(
      name: "GLL says void",
      bodies: [rmc("093000"), gga("093000"), "GPGLL,,,,,093000,V,N"]),
    Contradiction(
      name: "all GSA say none",
      bodies: [rmc("093000"), gga("093000"), "GPGSA,A,1,,,,,,,,,,,,,,,"]),
    Contradiction(name: "mode N", bodies: [rmc("093000", mode: "N"), gga("093000")]),
  ])
  func `no fix is produced from a contradictory epoch`(_ contradiction: Contradiction) {
    let reports = Self.reports(contradiction.bodies)
    #expect(reports == [.noFix(arrival: BootTime(nanoseconds: 0))])
  }

  @Test func `with several constellations, the best of them determines whether a fix is 2D or 3D`()
  {
    let silent = "GNGSA,A,1,,,,,,,,,,,,,,,"
    let best = "GNGSA,A,3,01,02,03,04,,,,,,,,,2.0,1.5,1.3"
    let found = fixes([Self.rmc("093000"), silent, best, silent])
    #expect(found.map(\.isThreeDimensional) == [true])
    #expect(found.first?.hdop == 1.5)
  }

  @Test
  func `without GSA, a fix with at least four satellites and an altitude is considered a 3D fix`() {
    #expect(fixes([Self.rmc("093000"), Self.gga("093000")]).map(\.isThreeDimensional) == [true])
    let three = Self.gga("093000", satellites: 3)
    #expect(fixes([Self.rmc("093000"), three]).map(\.isThreeDimensional) == [false])
    #expect(fixes([Self.rmc("093000")]).map(\.isThreeDimensional) == [false])
  }

  @Test func `no value is carried over from the previous epoch`() {
    let found = fixes([Self.rmc("093000"), Self.gga("093000"), Self.rmc("093001")])
    #expect(found.count == 2)
    #expect(found.last?.altitudeMSL == nil)
    #expect(found.last?.satellites == nil)
  }

  @Test(arguments: [
    ("A", 1, Fix.Quality.autonomous), ("D", 2, .differential), ("E", 1, .estimated),
    ("A", 6, .estimated), ("S", 1, .simulated), ("A", 8, .simulated), ("R", 4, .realTimeKinematic),
    ("A", 5, .floatRealTimeKinematic), ("A", 3, .precise), ("A", 7, .manual),
  ])
  func `a fix has the quality from GGA, unless RMC or GGA says estimated or simulated`(
    _ mode: String, _ quality: Int, _ expected: Fix.Quality
  ) {
    let found = fixes([Self.rmc("093000", mode: mode), Self.gga("093000", quality: quality)])
    #expect(found.map(\.quality) == [expected])
  }

  @Test func `times that differ only by rounding belong to one epoch`() {
    #expect(fixes([Self.rmc("093000.00"), Self.gga("093000.009")]).count == 1)
    #expect(fixes([Self.rmc("093000.00"), Self.gga("093000.100")]).count == 2)
  }

  @Test func `a position yields no fix until a date is known`() {
    let reports = Self.reports([Self.gga("093000"), Self.gga("093001"), Self.rmc("093001")])
    #expect(reports.count == 2)
    #expect(fixes([Self.gga("093000"), Self.gga("093001"), Self.rmc("093001")]).count == 1)
  }

  @Test func `if a receiver sends no RMC, the date is taken from ZDA`() {
    let found = fixes([Self.gga("093000"), "GPZDA,093000,04,05,2026,00,00"])
    #expect(found.map { $0.utc.iso8601(decimals: 0) } == ["2026-05-04T09:30:00Z"])
  }

  @Test func `the date from a receiver that is still searching is not trusted`() {
    let searching = "GPRMC,093000,V,,,,,,,060180,,,N"
    #expect(fixes([searching, Self.gga("093001")]).isEmpty)
    #expect(fixes(["GPZDA,093000,06,01,1980,,", Self.gga("093001")]).isEmpty)
  }

  @Test func `the date changes at midnight even if the new date arrives last or is lost`() {
    var bodies: [String] = []
    bodies += [Self.gga("235958"), Self.rmc("235958", "280228")]
    bodies += [Self.gga("235959"), Self.rmc("235959", "280228")]
    bodies += [Self.gga("000000")]
    bodies += [Self.gga("000001")]
    bodies += [Self.gga("000002"), Self.rmc("000002", "290228")]
    #expect(
      fixes(bodies).map { $0.utc.iso8601(decimals: 0) } == [
        "2028-02-28T23:59:58Z", "2028-02-28T23:59:59Z", "2028-02-29T00:00:00Z",
        "2028-02-29T00:00:01Z", "2028-02-29T00:00:02Z",
      ])
  }

  @Test func `a backward step within a day does not change the date`() {
    let found = fixes([Self.rmc("110000"), Self.gga("105958")])
    #expect(found.map { $0.utc.calendar.day } == [4, 4])
  }

  @Test func `a malformed date does not replace the known date`() {
    let found = fixes([Self.rmc("093000"), Self.rmc("093001", "2208-1")])
    #expect(found.map { $0.utc.calendar.day } == [4, 4])
  }

  @Test func `after a silence of several hours, the date is no longer trusted`() {
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var reports: [PositionReport] = []
    let first = line(Self.rmc("220000"))
    reader.receive(first.span, at: BootTime(nanoseconds: 0)) { reports.append($0) }
    reader.flush { reports.append($0) }
    let second = line(Self.gga("210000"))
    let dayLater = BootTime(nanoseconds: 82_800_000_000_000)
    reader.receive(second.span, at: dayLater) { reports.append($0) }
    reader.flush { reports.append($0) }
    #expect(reports.count == 2)
    #expect(reports.last == .noFix(arrival: dayLater))
  }

  @Test func `a week rollover is corrected only in a date before the earliest possible date`() {
    let wrapped = fixes([Self.rmc("093000", "180906")], floor: WeekRollover.liveFloor)
    #expect(wrapped.map { $0.utc.iso8601(decimals: 0) } == ["2026-05-04T09:30:00Z"])
    let right = fixes([Self.rmc("093000", "040526")], floor: WeekRollover.liveFloor)
    #expect(right == wrapped)
    let replayed = fixes([Self.rmc("093000", "180906")], floor: WeekRollover.replayFloor)
    #expect(replayed.map { $0.utc.calendar.year } == [2006])
  }

  @Test
  func `a time that does not advance yields one fix, and the loss of the fix is reported once`() {
    let lost = "GPRMC,093000,V,,,,,,,040526,,,N"
    let standing = [Self.rmc("093000")] + Array(repeating: Self.rmc("093001"), count: 5)
    #expect(fixes(standing).count == 2)

    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var reports: [PositionReport] = []
    for body in [Self.rmc("093000"), lost, lost, lost] {
      let bytes = line(body)
      reader.receive(bytes.span, at: BootTime(nanoseconds: 0)) { reports.append($0) }
      reader.flush { reports.append($0) }
    }
    #expect(reports.count == 2)
    #expect(reports.last == .noFix(arrival: BootTime(nanoseconds: 0)))
  }

  @Test func `a receiver that does not yet know the time yields one report per cycle`() {
    let cold = [
      "GNRMC,,V,,,,,,,,,,N", "GNVTG,,,,,,,,,N", "GNGGA,,,,,,0,00,99.99,,,,,,",
      "GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99", "GNGLL,,,,,,V,N",
    ]
    let reports = Self.reports(cold + cold + cold)
    #expect(reports.count == 3)
    #expect(fixes(cold + cold).isEmpty)
  }

  @Test func `GPS and GLONASS sentences of the same epoch yield one fix`() {
    let twin = "GLGGA,093000,\(Self.place),1,4,1.4,100.0,M,40.0,M,,"
    let found = fixes([Self.rmc("093000"), Self.gga("093000"), twin])
    #expect(found.map(\.satellites) == [8])
  }

  @Test func `an epoch that consists only of a time yields no report`() {
    #expect(Self.reports(["GPZDA,093000,04,05,2026,00,00", "GPVTG,1,T,,M,1,N,1,K,A"]).isEmpty)
  }

  @Test func `an impossible jump is counted, but its fix stays in the track`() {
    func place(_ second: Int, _ latitude: String, _ longitude: String) -> String {
      "GPRMC,09300\(second),A,\(latitude),N,\(longitude),1.0,90.0,040526,,,A"
    }
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var found = 0
    for body in [
      // Each step takes one second. The first step of 410 m is plausible. The second step goes a
      // kilometre along the sixtieth parallel, where a minute of longitude is only half as long as
      // at the equator. The third step goes to the antimeridian, and the last crosses it by 190 m.
      place(1, "6000.0", "00000.1,W"), place(2, "6000.2", "00000.1,E"),
      place(3, "6000.2", "00001.2,E"), place(4, "6000.2", "17959.9,E"),
      place(5, "6000.2", "17959.9,W"),
    ] {
      let bytes = line(body)
      reader.receive(bytes.span, at: BootTime(nanoseconds: 0)) { _ in found += 1 }
    }
    reader.flush { _ in found += 1 }
    #expect(found == 5)
    #expect(reader.jumps == 2)
  }
}
