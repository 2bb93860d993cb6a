import NMEA
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ParsedSentenceTests {
  /// Thrown if a sentence is decoded as a different type.
  private struct OtherSentence: Error {}

  @Test func `RMC is parsed into time, position, speed and date`() throws {
    let parsed = try parse("GPRMC,101112.25,A,5107.0017,N,11402.3291,W,1.94,309.62,100724,,,A")
    guard case .rmc(let rmc) = parsed, let position = rmc.position else {
      Issue.record("not an RMC with a position")
      return
    }
    #expect(rmc.time?.nanoseconds == 36_672_250_000_000)
    #expect(abs(position.latitude - 51.116695) < 1e-9)
    #expect(abs(position.longitude + 114.038818333) < 1e-9)
    #expect(abs((rmc.speed ?? 0) - 0.998022) < 1e-6)
    #expect(rmc.track == 309.62)
    #expect(rmc.date == UTCTime(year: 2024, month: 7, day: 10, nanosecondOfDay: 0))
    #expect(rmc.quality == .autonomous)
  }

  @Test func `GGA is parsed into position, altitude and quality`() throws {
    let parsed = try parse("GPGGA,101112,5107.0017,S,11402.3291,E,2,08,0.9,-3.5,M,-16.3,M,,")
    guard case .gga(let gga) = parsed else {
      Issue.record("not a GGA")
      return
    }
    #expect((gga.position?.latitude ?? 0) < -51)
    #expect((gga.position?.longitude ?? 0) > 114)
    #expect(gga.quality == .differential)
    #expect(gga.satellites == 8)
    #expect(gga.hdop == 0.9)
    #expect(gga.altitudeMSL == -3.5)
    #expect(gga.geoidSeparation == -16.3)
  }

  struct Case: CustomTestStringConvertible {
    let body: String
    let fault: SentenceFault
    var testDescription: String { body }
  }

  static let refused: [Case] =
    [
      "GPGGA,101112,9000.0001,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,4560.0000,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,-5107.001,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,5107.0e17,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,51.07.001,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,.0017,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,5107.0017,X,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,5107.0017,,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,5107.0017,N,,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,5107.0017,N,18000.0001,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,5107.0017,N,11402.3291,N,1,08,0.9,1048.5,M,-16.3,M,,",
      "GNGNS,101112,5107.0017,N,18000.0001,W,AN,08,0.9,1048.5,-16.3,,",
      "PUBX,00,101112,5107.0017,N,18000.0001,W,50,G3,2,3,0,0,0,,1,1,1,8,0,0",
    ].map { Case(body: $0, fault: .badPosition) }
    + [
      "GPGGA,240000,5107.0017,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,106000,5107.0017,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101160,5107.0017,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,1011,5107.0017,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112x5,5107.0017,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,,5107.0017,N,11402.3291,W,1,08,0.9,1048.5,M,-16.3,M,,",
      "GNGNS,,5107.0017,N,11402.3291,W,AN,08,0.9,1048.5,-16.3,,",
      "GPRMC,,A,5107.0017,N,11402.3291,W,1.94,309.62,100724,,,A",
      "GPZDA,9999,10,07,2024,00,00",
      "GPGST,101112.x,3.2,6.6,4.7,47.3,5.8,5.6,22.0",
    ].map { Case(body: $0, fault: .badTime) }
    + [
      "GPGGA,101112,5107.0017,N,11402.3291,W,9,08,0.9,1048.5,M,-16.3,M,,",
      "GPGGA,101112,5107.0017,N,11402.3291,W,A,08,0.9,1048.5,M,-16.3,M,,",
      "GPRMC,101112,,5107.0017,N,11402.3291,W,1.94,309.62,100724,,,A",
      "GPGLL,5107.0017,N,11402.3291,W,101112,X,A",
      "GNGNS,101112,5107.0017,N,11402.3291,W,A1,08,0.9,1048.5,-16.3,,",
      "GPGSA,A,4,,,,,,,,,,,,,1.0,1.0,1.0",
      "PUBX,00,101112,5107.0017,N,11402.3291,W,50,G4,2,3,0,0,0,,1,1,1,8,0,0",
    ].map { Case(body: $0, fault: .badStatus) }
    + [
      "GPGSV,3,4,12,01,40,083,46", "GPGSV,3,0,12,01,40,083,46", "GPGSV,x,1,12,01,40,083,46",
    ].map { Case(body: $0, fault: .badField) }
    + [
      "GPGGA,101112,5107.0017,N,11402.3291,W",
      "GPRMC,101112,A,5107.0017,N",
      "GPGLL,5107.0017,N,11402.3291,W",
      "GPGSA,A,3,01,02",
      "GPVTG,1.0,T",
      "GPZDA,101112,10",
      "GPGST,101112,3.2,6.6",
      "GNGNS,101112,5107.0017,N,11402.3291,W",
      "GPGSV,1,1",
      "PGRME,15.0,M",
      "PUBX,00,101112,5107.0017,N,11402.3291,W,50,G3",
    ].map { Case(body: $0, fault: .tooFewFields) }
    + ["GGA,1,2", "GPgga,1,2", "GPGGAX,1,2"].map { Case(body: $0, fault: .unknownAddress) }

  @Test(arguments: refused)
  func `a sentence with an invalid or missing field is rejected even if its checksum is valid`(
    _ refused: Case
  ) {
    #expect(throws: refused.fault) { try parse(refused.body) }
  }

  @Test(arguments: [
    "GPGGA,101112,,,,,0,00,99.99,,,,,,",
    "GPGGA,101112,5107.0017,N,11402.3291,W,,08,0.9,1048.5,M,-16.3,M,,",
    "GPGGA,,,,,,0,00,99.99,,,,,,",
    "GPRMC,101112,V,8960.0000,N,00000.0000,E,,,100724,,,N",
    "GPRMC,101112,A,5107.0017,N,11402.3291,W,1.94,309.62,100724,,,N",
    "GPRMC,,V,,,,,,,,,,N",
    "GPGLL,36000.0000,N,72000.0000,E,101112,V,N",
  ])
  func `a position is ignored if its sentence does not report a fix`(_ body: String)
    throws
  {
    switch try parse(body) {
    case .gga(let gga): #expect(gga.position == nil)
    case .rmc(let rmc): #expect(rmc.position == nil)
    case .gll(let gll): #expect(gll.position == nil)
    default: Issue.record("not a position sentence")
    }
  }

  @Test(arguments: [
    "8,99.99,10x8.5,M,,", "8,99.0,,M,,", "8,0.00,100001,M,300,", "8,,-2001,M,-201,",
  ])
  func `an invalid field is ignored, while the rest of the fix is used`(_ tail: String) throws {
    let parsed = try parse("GPGGA,101112,5107.0017,N,11402.3291,W,1,\(tail)")
    guard case .gga(let gga) = parsed else { throw OtherSentence() }
    #expect(gga.position != nil)
    #expect(gga.hdop == nil)
    #expect(gga.altitudeMSL == nil)
    #expect(gga.geoidSeparation == nil)
    #expect(gga.satellites == 8)
  }

  @Test(arguments: ["abc,361,011324", "-1.0,-1,000124", ",,300224", "99999999,x,2208-1"])
  func `an invalid speed, track or date is ignored`(_ fields: String) throws {
    guard case .rmc(let rmc) = try parse("GPRMC,101112,A,5107.0,N,11402.3,W,\(fields),,,A")
    else { throw OtherSentence() }
    #expect(rmc.position != nil)
    #expect(rmc.speed == nil)
    #expect(rmc.track == nil)
    #expect(rmc.date == nil)
  }

  @Test(arguments: ["GP", "GN", "GL", "GA", "GB", "BD", "QZ", "IN"])
  func `a position sentence is accepted from eight talkers`(_ talker: String) throws {
    #expect(try parse("\(talker)GLL,5107.0,N,11402.3,W,101112,A,A") != nil)
  }

  @Test func `the intersection of the equator and the prime meridian is a valid position`() throws {
    guard case .gga(let gga) = try parse("GPGGA,101112,0000.0,N,00000.0,E,1,5,1,0,M,17,M,,")
    else { throw OtherSentence() }
    #expect(gga.position == ParsedSentence.Position(latitude: 0, longitude: 0))
    #expect(gga.altitudeMSL == 0)
  }

  @Test func `leading zeros may be omitted, and minutes may have eight decimals`() throws {
    guard case .gll(let gll) = try parse("GPGLL,42.86006889,S,5.43645510,W,101112,A,A")
    else { throw OtherSentence() }
    #expect(abs((gll.position?.latitude ?? 0) + 0.7143344815) < 1e-10)
    #expect(abs((gll.position?.longitude ?? 0) + 0.0906075850) < 1e-10)
  }

  @Test func `a leap second is a valid time`() throws {
    guard case .zda(let zda) = try parse("GPZDA,235960.00,31,12,2016,00,00") else {
      throw OtherSentence()
    }
    #expect(zda.time?.nanoseconds == 86_400_000_000_000)
  }

  @Test func `speed is taken from the km/h field if the field in knots is empty`() throws {
    guard case .vtg(let vtg) = try parse("GPVTG,360.0,T,,M,,N,3.6,K,A") else {
      throw OtherSentence()
    }
    #expect(abs((vtg.speed ?? 0) - 1) < 1e-9)
    #expect(vtg.track == 0)
  }
}
