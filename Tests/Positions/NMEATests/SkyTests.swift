import NMEA
import TestSupport
import Testing
import Values

/// The list of satellites that a receiver has in view.
@Suite(.computation) struct SkyTests {
  private func sky(_ bodies: [String], seconds: Double = 0) -> Sky {
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    for (index, body) in bodies.enumerated() {
      let bytes = line(body)
      let arrival = BootTime(nanoseconds: Int64(Double(index) * seconds * 1e9))
      reader.receive(bytes.span, at: arrival) { _ in }
    }
    return reader.sky
  }

  private func rmc(_ second: Int) -> String {
    "GPRMC,09300\(second),A,5303.0,N,00903.0,E,,,040526,,,A"
  }

  @Test func `each satellite is listed with all its known details`() {
    let found = sky([
      rmc(1), "GPGSA,A,3,02,,,,,,,,,,,,1.6,0.9,1.3", "GPGSV,2,1,05,02,60,319,36,05,77,132,",
      "GPGSV,2,2,05,12,,,21", "GLGSV,1,1,01,65,-1,001,99",
    ])
    #expect(
      found.satellites == [
        Satellite(
          system: .gps, number: 2, elevation: 60, azimuth: 319, signal: 36, isUsed: true),
        Satellite(system: .gps, number: 5, elevation: 77, azimuth: 132),
        Satellite(system: .gps, number: 12, signal: 21),
        Satellite(system: .glonass, number: 65, elevation: -1, azimuth: 1, signal: 99),
      ])
    #expect(found.used == 1)
    #expect(sky([rmc(1)]) == Sky())
  }

  @Test
  func `several signals from one satellite form one entry with the highest signal strength`() {
    let found = sky([rmc(1), "GPGSV,1,1,01,02,60,319,36,1", "GPGSV,1,1,01,02,60,319,41,8"])
    #expect(found.satellites.map(\.signal) == [41])
    let weaker = sky([
      rmc(1), "GPGSV,1,1,01,02,60,319,41", rmc(2), rmc(3), "GPGSV,1,1,01,02,60,319,12",
    ])
    #expect(weaker.satellites.map(\.signal) == [12])
  }

  @Test func `a satellite that has set is soon removed from the list`() {
    let cycles = (1...5).flatMap { second in
      [rmc(second), "GPGSV,1,1,01,\(second < 3 ? "02" : "05"),60,319,36"]
    }
    #expect(sky(cycles).satellites.map(\.number) == [5])
    // A constellation that the receiver no longer reports.
    let silent = ["GLGSV,1,1,01,65,10,001,30"] + (1...9).map(rmc) + ["GPGSV,1,1,01,05,60,319,36"]
    #expect(sky(silent, seconds: 2).satellites.map(\.number) == [5])
  }

  @Test func `a mixed GSA list marks the satellites in use in every constellation`() {
    let found = sky([
      rmc(1), "GNGSA,A,3,02,70,,,,,,,,,,,1.6,0.9,1.3", "GPGSV,1,1,01,02,60,319,36",
      "GLGSV,1,1,01,70,60,319,36",
    ])
    #expect(found.used == 2)
    let named = sky([
      rmc(1), "GNGSA,A,3,02,,,,,,,,,,,,1.6,0.9,1.3,3", "GPGSV,1,1,01,02,60,319,36",
      "GAGSV,1,1,01,02,60,319,36",
    ])
    #expect(named.satellites.filter(\.isUsed).map(\.system) == [.galileo])
  }

  @Test
  func `if there are more satellites than the satellite table can store, the rest are ignored`() {
    let lists = (0..<60).map { list in
      "GBGSV,60,\(list + 1),240,"
        + (0..<4).map { "\(list * 4 + $0 + 1),10,20,30" }
        .joined(separator: ",")
    }
    #expect(sky([rmc(1)] + lists).satellites.count == 128)
  }
}
