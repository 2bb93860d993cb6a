@testable import CommandLineTool
import LinuxSystem
import NMEA
@testable import Positioning
@testable import Terminal
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ReceiverViewTests {
  private static let source = PositionSource.serial("/dev/gps0", speed: nil)

  private var status: ReceiverStatus {
    var status = ReceiverStatus()
    status.state = .fix3D
    status.fix = Fix(
      arrival: BootTime(nanoseconds: 0),
      utc: UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 34_200_000_000_000),
      latitude: 53.168, longitude: -9.94, altitudeMSL: 62.04, speed: 1.4, track: 87.2, hdop: 0.9,
      satellites: 10, isThreeDimensional: true,
      error: Fix.ErrorEstimate(horizontal: 4, vertical: 7.5, basis: .reported))
    status.device = "/dev/gps0"
    status.speed = .baud9600
    status.isSpeedFound = true
    status.goodSentences = 1_234
    status.badSentences = 3
    status.faults = [.wrongChecksum: 2, .interrupted: 1]
    status.sky = Sky(satellites: [
      Satellite(system: .gps, number: 5, elevation: 43, azimuth: 120, signal: 42, isUsed: true),
      Satellite(system: .gps, number: 9),
      Satellite(system: .galileo, number: 8, elevation: 12, azimuth: 7, signal: 30),
    ])
    return status
  }

  private func lines(_ status: ReceiverStatus) -> [String] {
    ReceiverView(Self.source).lines(
      status, now: BootTime(nanoseconds: 400_000_000), width: 80)
  }

  @Test func `a receiver's state, position, error, port, sentences and satellites are shown`() {
    #expect(
      lines(status) == [
        "state       3D fix",
        "position    53.168000° N 9.940000° W  62.0 m  0.4 s ago",
        "time        2026-05-04T09:30:00.0Z",
        "error       4.0 m horizontally, 7.5 m vertically (95 %, from the receiver)",
        "speed       1.40 m/s towards 87°",
        "satellites  10 used, HDOP 0.9",
        "source      /dev/gps0  9600 baud",
        "sentences   1,234 good, 3 rejected (1 interrupted, 2 wrong checksum)",
        "",
        "system   number  elevation  azimuth  signal",
        "GPS           5        43°     120°  [████████  ] 42 dB-Hz  used",
        "Galileo       8        12°       7°  [█████     ] 30 dB-Hz",
        "GPS           9          –        –  not received",
      ])
  }

  @Test func `an old position is labelled as the last known one`() {
    var status = status
    status.sky = Sky()
    for state in ReceiverState.allCases {
      status.state = state
      let lines = lines(status)
      #expect(lines.contains { $0.hasPrefix("position") } == state.isCurrent)
      #expect(
        lines.contains("last known  53.168000° N 9.940000° W  0.4 s ago") == !state.isCurrent)
    }
  }

  @Test func `a problem that prevents the use of a position source is shown with its remedy`() {
    var status = ReceiverStatus()
    status.state = .unplugged
    status.problem = .port(SystemError("open /dev/gps0", number: 16), at: "/dev/gps0") { true }
    #expect(
      lines(status) == [
        "state       unplugged",
        "reason      Device or resource busy",
        "remedy      gpsd is running and may be using it: name 'gpsd' instead of the port",
        "source      /dev/gps0",
        "sentences   0 good, 0 rejected",
      ])
  }

  @Test func `without a terminal, each fix and each state is printed on one line`() throws {
    let fix = try #require(status.fix)
    let source = Self.source
    #expect(
      ReceiverText.line(.report(.fix(fix)), of: source)
        == "2026-05-04T09:30:00.000Z  53.1680000°  -9.9400000°  3D  62.0 m  1.40 m/s  87.2°  "
        + "10 sat  hdop 0.9  ±4.0 m")
    let change = ReceiverChange(
      time: BootTime(nanoseconds: 2_500_000_000), state: .fix3D, device: "/dev/ttyUSB0",
      speed: .baud9600, problem: nil)
    #expect(
      ReceiverText.line(.change(change), of: source)
        == "state: 3D fix  /dev/ttyUSB0  9600 baud")
    #expect(
      ReceiverText.json(.change(change), since: BootTime(nanoseconds: 0)).text
        == #"{"state":"3D fix","seconds":2.5,"device":"/dev/ttyUSB0","baud":9600}"#)
    #expect(
      ReceiverText.json(.report(.fix(fix)), since: BootTime(nanoseconds: 0)).text
        == #"{"time":"2026-05-04T09:30:00.000Z","lat":53.168,"lon":-9.94,"altMSL":62.04,"#
        + #""speed":1.4,"track":87.2,"mode":3,"quality":1,"satsUsed":10,"hdop":0.9}"#)
  }
}
