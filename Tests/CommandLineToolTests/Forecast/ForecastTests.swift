import BoardDriver
import Foundation
import Gateway
import LinuxSystem
import MetaWearProtocol
import Storage
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

/// The calculation of a forecast, and its printed form.
@Suite(.computation) struct ForecastTests {
  private static let disk = Forecast.Disk(
    path: "/srv/walks.sqlite", free: 20_000_000_000, room: 19_000_000_000, whenFull: .stop,
    size: 32_000_000_000)

  private static func settings(
    _ sensors: [SensorRequest] = RecordingPlan.gait, positions: Bool = false
  ) -> Forecast.Settings {
    Forecast.Settings(
      sensors: sensors, pace: .shared, hasPositions: positions, sealSeconds: 900)
  }

  private static func sensor(_ text: String) throws -> SensorRequest {
    try #require(SensorRequest(text: text))
  }

  struct Power: Sendable {
    var model: Model
    var sensors: [String]
    var milliamperes: Double
  }

  @Test(arguments: [
    Power(model: .metaMotionS, sensors: ["acceleration@100"], milliamperes: 7.71),
    Power(
      model: .metaMotionS, sensors: ["acceleration@100", "angular_velocity@100"],
      milliamperes: 8.21),
    // A chip that is used for several signals is counted once.
    Power(model: .metaMotionS, sensors: ["acceleration@100", "steps@1"], milliamperes: 7.71),
    Power(
      model: .metaMotionRL, sensors: ["acceleration@100", "angular_velocity@100"],
      milliamperes: 8.58),
    Power(
      model: .metaMotionS, sensors: ["quaternion@100", "euler_angles@100"], milliamperes: 9.635),
    Power(model: .metaMotionS, sensors: ["quaternion_imu@100"], milliamperes: 9.135),
    Power(model: .metaMotionS, sensors: ["quaternion@25"], milliamperes: 9.135),
    Power(
      model: .metaMotionS, sensors: ["pressure@1.955", "illuminance@2", "temperature@1"],
      milliamperes: 7.7334),
  ])
  func `a board's current is the sum of the currents of its link and its active components`(
    _ one: Power
  ) throws {
    let forecast = try Forecast(
      Self.settings(one.sensors.map(Self.sensor)), [.init(name: "x", model: one.model)],
      Self.disk)
    #expect(abs(forecast.boards[0].current - one.milliamperes) < 1e-9)
  }

  @Test
  func `a battery lasts as long as the manufacturer states, or less if it is not full`()
    throws
  {
    // The manufacturer's own example: at (7.5 + 0.21) mA, 100 mAh last about 13 hours.
    let forecast = try Forecast(
      Self.settings([Self.sensor("acceleration@100")]),
      [.init(name: "x", model: .metaMotionS, charge: .init(percent: 50))], Self.disk)
    let full = try #require(forecast.boards[0].fullHours)
    #expect(Int(full.upperBound.rounded()) == 13)
    #expect(abs(full.lowerBound / full.upperBound - 0.7) < 1e-9)
    #expect(forecast.boards[0].hours?.upperBound == full.upperBound / 2)
    #expect(BoardPower.capacity(of: .unknown("9")) == nil)
    // Memory for 67,108,864 log entries, with two entries per sample at 100 Hz.
    #expect(forecast.boards[0].memoryHours.map { Int($0) } == 93)
    let fusion = try Forecast(
      Self.settings([Self.sensor("quaternion@100")]), [.init(name: "x", model: .metaMotionRL)],
      Self.disk)
    #expect(fusion.boards[0].memoryHours.map { Int($0 * 60) } == 43)
  }

  @Test
  func `the forecast of stored bytes matches measurements, and is higher with positions or floats`()
    throws
  {
    func stored(_ sensors: [SensorRequest], positions: Bool = false) throws -> Double {
      try Forecast(
        Self.settings(sensors, positions: positions), [.init(name: "x", model: .metaMotionS)],
        Self.disk
      ).storedPerDay
    }
    let gait = try stored(RecordingPlan.gait)
    // 6.2 bytes per pair at 100 Hz, plus 6 % for the database.
    #expect(abs(gait / (86_400 * 100 * 6.2 * 1.06) - 1) < 0.05)
    let positions = try stored(RecordingPlan.gait, positions: true) - gait
    #expect(abs(positions / 86_400 - 621) < 1)
    let quaternion = try stored([Self.sensor("quaternion@100")])
    #expect(quaternion / 86_400 > 1_250 && quaternion / 86_400 < 1_400)
    // A slow stream adds the overhead of one chunk every quarter of an hour.
    let slow = try stored([Self.sensor("temperature@0.1")])
    #expect(abs(slow / (96 * (90 * 1.3 + 350) * 1.06) - 1) < 1e-9)
  }

  @Test func `the disk-write forecast matches measurements with one board and with ten`() {
    #expect(abs(RecordedVolume.deviceBytesPerSecond(for: 610) / 12_700 - 1) < 0.01)
    #expect(abs(RecordedVolume.deviceBytesPerSecond(for: 6_030) / 43_200 - 1) < 0.01)
    #expect(RecordedVolume.deviceBytesPerSecond(for: 0) == 0)
  }

  @Test func `the available space is limited by the free-space setting and the quota`() {
    let usage = SpacePolicy.Usage(used: 700, free: 1_000)
    #expect(SpacePolicy(floor: 300).room(usage) == 700)
    #expect(SpacePolicy(floor: 1_300).room(usage) == 0)
    #expect(SpacePolicy(quota: 900, floor: 300).room(usage) == 200)
    #expect(SpacePolicy(quota: 600, floor: 300).room(usage) == 0)
  }

  @Test func `a forecast marks the figures that are estimates`() throws {
    let forecast = try Forecast(
      Self.settings(),
      [
        .init(name: "left", model: .metaMotionS, charge: .init(percent: 82, age: 250)),
        .init(name: "right", model: .metaMotionRL, isModelGuessed: true),
      ], Self.disk)
    #expect(
      ForecastText.lines(forecast).joined(separator: "\n") == """
        2 boards with acceleration@100:8 and angular_velocity@100:2000, every 15 ms: 400 samples per second

        board  model                    current  battery          lasts     a full battery lasts  memory holds
        left   MetaMotion S             ~8.2 mA  82 %, 4 min ago  6 to 9 h  8 to 12 h             46 h
        right  MetaMotion RL (assumed)  ~8.6 mA  unknown          –         8 to 11 h             43 min

        store    ~110 MB a day  lasts about 170 days: 20.0 GB free, 19.0 GB for recordings
                                then recordings end
        upload   ~110 MB a day  to each destination
        written  ~1.4 GB a day  a 32.0 GB card rated for 500 rewrites lasts about 31 years

        All figures are estimates. Batteries: based on the manufacturer's figures for
        current draw, less up to 30 % for age and cold; no board was measured, and each
        board estimates its own charge from the voltage. Bytes: for a whole day of
        walking; 30 % less at rest, 50 % more while running.
        A model is assumed for boards that 'footbridge pair' has not read yet.
        """)
  }

  @Test func `if only walks are recorded, the forecast says so`() throws {
    func notes(_ detector: WalkingSettings.Detector?) throws -> String {
      var settings = Self.settings()
      settings.detector = detector
      let forecast = try Forecast(settings, [.init(name: "x", model: .metaMotionS)], Self.disk)
      let json = try JSON(parsing: Array(ForecastText.json(forecast).text.utf8))
      #expect(json["detector"]?.text == detector?.rawValue)
      return ForecastText.lines(forecast).joined(separator: " ")
    }
    #expect(!(try notes(nil).contains("only walks")))
    #expect(try notes(.gateway).contains("boards stream all the time."))
    let unknown = "Their current between walks is unknown."
    #expect(try notes(.board).contains(unknown))
    var configuration = GatewayConfiguration()
    configuration.walking.detector = .board
    configuration.rule.time = .walking
    let forecast = try Forecast(configuration, boards: [], store: "/tmp/none", status: nil)
    #expect(forecast.settings.detector == .board)
  }

  @Test(arguments: [
    (8.5, 12.2, "8 to 12 h"), (4.0, 5.7, "4 to 5 h"), (1.4, 2.0, "80 to 120 min"),
    (0, 0, "0 to 0 min"), (11.1, 11.9, "~11 h"),
  ])
  func `a forecast shows hours as a rounded range, and short times in minutes`(
    low: Double, high: Double, text: String
  ) {
    #expect(ForecastText.hours(low...high) == text)
  }

  @Test func `'forecast' rejects missing sensors and invalid arguments, and creates no store`()
    async throws
  {
    let folder = try TemporaryFolder()
    let environment = ["FOOTBRIDGE_STORE": folder.path + "/s.sqlite"]
    func run(_ arguments: String...) async -> Outcome {
      await Outcome.of(
        ["forecast"] + arguments, environment: environment, commands: Commands.all)
    }
    let refused = await run("--sensor", "pressure", "--boards", "2", "--model", "RL")
    #expect(refused.status == 1)
    #expect(refused.errors.hasPrefix("error: the board has no sensor for pressure\n"))
    #expect(
      await run("--model", "RL")
        == .misunderstood(
          """
          error: '--model' needs '--boards'
                 give the number of boards with --boards
                 try 'footbridge forecast --help'
          """))
    let told = await run("--boards", "3", "--sensor", "acceleration@50", "--json")
    let json = try JSON(parsing: Array(told.output.utf8))
    #expect(json["isEstimate"]?.bool == true)
    #expect(json["samplesPerSecond"]?.number == 150)
    #expect(json["boards"]?.list?.count == 3)
    #expect(json["store"]?["path"]?.text == folder.path + "/s.sqlite")
    #expect(!Folder.exists(folder.path + "/s.sqlite"))
    try Data("[recording]\nseal = 0\n".utf8).write(to: URL(filePath: folder.path + "/f.conf"))
    #expect(await run("--config", folder.path + "/f.conf").status == 2)
  }
}
