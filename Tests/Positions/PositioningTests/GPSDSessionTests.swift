import Foundation
import NMEA
import Positioning
import Recording
import TestSupport
import Testing
import Values

/// Lines from gpsd and the results of parsing them. The lines are based on gpsd's documentation.
@Suite(.computation) struct GPSDSessionTests {
  private static let greeting =
    #"{"class":"VERSION","release":"3.25","rev":"3.25","proto_major":3,"proto_minor":15}"#

  private func events(
    _ lines: [String], device: String? = nil, piece: Int = .max, flushing: Bool = true
  ) -> [GPSDSession.Event] {
    var session = GPSDSession(device: device)
    var events: [GPSDSession.Event] = []
    var rest = Array(lines.map { $0 + "\r\n" }.joined().utf8)[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      session.receive(part.span, at: BootTime(nanoseconds: 5)) { events.append($0) }
    }
    if flushing { session.flush { events.append($0) } }
    return events
  }

  private func fixes(_ events: [GPSDSession.Event]) -> [Fix] {
    events.compactMap { if case .position(.fix(let fix)) = $0 { fix } else { nil } }
  }

  private func losses(_ events: [GPSDSession.Event]) -> Int {
    events.count { if case .position(.noFix) = $0 { true } else { false } }
  }

  private func fix(_ second: Int, latitude: Double = 53.5, more: String = "") -> String {
    "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,"
      + "\"time\":\"2026-05-04T09:30:0\(second).000Z\",\"lat\":\(latitude),\"lon\":-9.5\(more)}"
  }

  private let bare = #"{"class":"TPV","device":"/dev/a","mode":1}"#

  @Test func `gpsd's greeting is reported, and a different protocol version is rejected`() {
    #expect(events([Self.greeting]) == [.greeted(release: "3.25")])
    let other = Self.greeting.replacing("\"proto_major\":3", with: "\"proto_major\":4")
    #expect(events([other, fix(1)]) == [.refused(major: 4)])
  }

  @Test
  func `an epoch is reported once, after the last of its messages, however the stream is split`()
    throws
  {
    let lines = [
      Self.greeting, #"{"class":"TPV","mode":3,"lat":1.0,"lon":1.0}"#, fix(1, latitude: 50), bare,
      fix(1, latitude: 51), "$GPGGA,1*00", "", fix(2), "{\"class\":\"TPV\",\"mode\":3,", fix(2),
      #"{"class":"ATT","mode":3}"#, fix(1, latitude: 52), fix(3),
    ]
    let whole = events(lines)
    #expect(fixes(whole).map(\.latitude) == [51, 53.5, 53.5])
    #expect(losses(whole) == 0)
    for piece in [1, 7, 64] { #expect(events(lines, piece: piece) == whole) }
  }

  @Test func `a fix contains all values that gpsd reports`() throws {
    let sky = """
      {"class":"SKY","hdop":1.3,"uSat":5,"satellites":[
      {"PRN":66,"el":40.4,"az":75.0,"ss":48.0,"used":true,"gnssid":6,"svid":2},
      {"PRN":3,"el":-2,"az":10,"ss":0,"used":false,"gnssid":0}]}
      """.replacing("\n", with: "")
    var session = GPSDSession()
    var found: Fix?
    let text =
      sky + "\n"
      + fix(
        1,
        more: #","altHAE":300.8,"altMSL":250.8,"geoidSep":50,"speed":1.5,"track":360,"status":2,"#
          + #""eph":24.7,"epv":20.7"#)
      + "\n"
    session.receive(Array(text.utf8).span, at: BootTime(nanoseconds: 5)) { _ in }
    session.flush { if case .position(.fix(let fix)) = $0 { found = fix } }
    #expect(
      found
        == Fix(
          arrival: BootTime(nanoseconds: 5),
          utc: UTCTime(nanoseconds: 1_777_887_001_000_000_000), latitude: 53.5, longitude: -9.5,
          altitudeMSL: 250.8, geoidSeparation: 50, speed: 1.5, track: 0, hdop: 1.3, satellites: 5,
          isThreeDimensional: true, quality: .differential,
          error: Fix.ErrorEstimate(horizontal: 24.7, vertical: 20.7, basis: .daemon)))
    #expect(
      session.sky.satellites == [
        Satellite(system: .gps, number: 3, elevation: -2, azimuth: 10),
        Satellite(
          system: .glonass, number: 66, elevation: 40, azimuth: 75, signal: 48, isUsed: true),
      ])
  }

  @Test(arguments: [
    (#","altHAE":300.8,"altMSL":250.8"#, 250.8, 50.0), (#","alt":100"#, 100, nil),
    (#","altHAE":300.8,"geoidSep":50.0"#, 250.8, 50), (#","altHAE":300.8,"alt":100"#, nil, nil),
  ])
  func `a height that gpsd omits is computed from two others; the old field alt is the MSL height`(
    _ more: String, _ altitude: Double?, _ geoid: Double?
  ) throws {
    let found = try #require(fixes(events([fix(1, more: more)])).first)
    #expect(
      found.altitudeMSL.map { abs($0 - (altitude ?? 0)) < 1e-9 } == altitude.map { _ in true })
    #expect(
      found.geoidSeparation.map { abs($0 - (geoid ?? 0)) < 1e-9 } == geoid.map { _ in true })
  }

  @Test func `gpsd's own height above the ellipsoid is preferred to a computed sum`() throws {
    let more = #","altHAE":300.8,"altMSL":250.8,"geoidSep":48.5"#
    let found = try #require(fixes(events([fix(1, more: more)])).first)
    #expect(found.altitudeHAE == 300.8)
    #expect(found.altitudeMSL == 250.8)
    #expect(found.geoidSeparation == 48.5)
    let agreeing = #","altHAE":300.8,"altMSL":250.8,"geoidSep":50"#
    #expect(try #require(fixes(events([fix(1, more: agreeing)])).first).ownAltitudeHAE == nil)
    let alone = #","altHAE":300.8"#
    #expect(try #require(fixes(events([fix(1, more: alone)])).first).altitudeHAE == 300.8)
  }

  @Test func `the loss of a fix is reported at the next pause between messages`() {
    var session = GPSDSession()
    var events: [GPSDSession.Event] = []
    func say(_ lines: String...) {
      let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
      session.receive(bytes.span, at: BootTime(nanoseconds: 5)) { events.append($0) }
      session.flush { events.append($0) }
    }
    say(fix(1), bare)
    #expect(losses(events) == 0)
    say(bare)
    #expect(losses(events) == 1)
    say(#"{"class":"TPV","mode":1,"time":"2026-05-04T09:30:03.000Z"}"#)
    #expect(losses(events) == 2)
    say(bare, fix(4))
    #expect(losses(events) == 2)
    #expect(fixes(events).count == 2)
  }

  @Test func `the loss of a fix is also reported for a receiver that sends without pauses`() {
    let found = events([fix(1)] + Array(repeating: bare, count: 6), flushing: false)
    #expect(fixes(found).count == 1)
    #expect(losses(found) == 2)
    let dated = (2...4).map { #"{"class":"TPV","mode":1,"time":"2026-05-04T09:30:0\#($0).000Z"}"# }
    #expect(losses(events([fix(1)] + dated + [fix(5)], flushing: false)) == 3)
  }

  @Test func `missing, lost and returning receivers are distinguished`() {
    let found = events([
      #"{"class":"DEVICES","devices":[]}"#, fix(1),
      #"{"class":"DEVICE","path":"/dev/a","activated":0}"#,
      #"{"class":"DEVICE","path":"/dev/b"}"#,
      #"{"class":"DEVICE","path":"/dev/a","activated":"2026-05-04T09:30:02.000Z","bps":9600}"#,
      #"{"class":"ERROR","message":"Unrecognized request"}"#,
    ])
    #expect(found.first == .devices([]))
    #expect(fixes(found).count == 1)
    #expect(
      Array(found.dropFirst(2)) == [
        .deviceLost(path: "/dev/a"), .deviceLost(path: "/dev/b"), .deviceBack(path: "/dev/a"),
        .error("Unrecognized request"),
      ])
  }

  @Test func `only the chosen receiver is used`() {
    let other = fix(2).replacing("/dev/a", with: "/dev/b")
    #expect(fixes(events([fix(1), other], device: "/dev/a")).count == 1)
    #expect(fixes(events([fix(1), other])).count == 2)
    #expect(GPSDSession.watch(device: nil) == "?WATCH={\"enable\":true,\"json\":true};\r\n")
    #expect(
      GPSDSession.watch(device: "/dev/a")
        == "?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/a\"};\r\n")
  }

  @Test func `a damaged, overlong or unknown line does not affect other lines`() {
    var session = GPSDSession()
    var count = 0
    let long = "{\"class\":\"TPV\",\"x\":\"" + String(repeating: "a", count: 200_000) + "\"}"
    let lines = ["{", "[1]", long, #"{"class":"PPS"}"#, #"{"class":"TPV","mode":"3"}"#, fix(1)]
    let bytes = Array(lines.map { $0 + "\r\n" }.joined().utf8)
    session.receive(bytes.span, at: BootTime(nanoseconds: 5)) { _ in count += 1 }
    session.flush { _ in count += 1 }
    #expect(session.refused == 3)
    #expect(session.ignored == 1)
    #expect(session.accepted == 2)
    #expect(count == 1)
  }
}
