import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

/// Scripted motions that an accelerometer's features must detect.
enum Movement {
  /// Returns a wearer at rest who is knocked along an axis, for 10 ms, at each of these times.
  static func knocks(at times: [Double], _ force: SIMD3<Double>) -> TestWearer {
    TestWearer(force: { time in
      let isStruck = times.contains { time >= $0 && time < $0 + 0.01 }
      return SIMD3(0, 0, 1) + (isStruck ? force : .zero)
    })
  }

  /// Returns a wearer who is at rest until the given time and is then shaken back and forth along
  /// x.
  static func shaking(from start: Double, to end: Double = .infinity, by g: Double = 1)
    -> TestWearer
  {
    TestWearer(force: { time in
      let isMoved = time >= start && time < end
      return SIMD3(isMoved ? (Int(time * 20).isMultiple(of: 2) ? g : -g) : 0, 0, 1)
    })
  }

  /// Returns a wearer who falls for 0.3 s, starting at this time.
  static func fall(at start: Double) -> TestWearer {
    TestWearer(force: { time in
      time >= start && time < start + 0.3 ? SIMD3(0.02, 0, 0.05) : SIMD3(0, 0, 1)
    })
  }

  /// Returns a wearer who lies flat and turns to the given orientation after one second.
  static func turn(to up: SIMD3<Double>) -> TestWearer {
    TestWearer(force: { time in time < 1 ? SIMD3(0, 0, 1) : up })
  }
}

/// An orientation, given as the upward direction in the board's coordinates.
struct PositionCase: Sendable {
  // The orientation is stored as three numbers, because Swift 6.3.1 crashes if the arguments of a
  // test contain a vector.
  var x: Double
  var y: Double
  var z: Double
  var orientation: AccelerometerEvent.Orientation

  var up: SIMD3<Double> { SIMD3(x, y, z) }

  static let all = [
    PositionCase(x: -1, y: 0, z: 0.1, orientation: .faceUpPortraitUpsideDown),
    PositionCase(x: 0, y: 1, z: 0.1, orientation: .faceUpLandscapeLeft),
    PositionCase(x: 0, y: -1, z: 0.1, orientation: .faceUpLandscapeRight),
    PositionCase(x: 0, y: 0, z: -1, orientation: .faceDownPortraitUpright),
    PositionCase(x: -0.8, y: 0, z: -0.6, orientation: .faceDownPortraitUpsideDown),
    PositionCase(x: 0, y: 0.8, z: -0.6, orientation: .faceDownLandscapeLeft),
    PositionCase(x: 0, y: -0.8, z: -0.6, orientation: .faceDownLandscapeRight),
  ]
}

@Suite(.computation) struct BoschFeaturesTests {
  /// Returns a client that has sent these commands to a board whose accelerometer runs at 100 Hz
  /// and ±8 g.
  func client(
    _ wearer: any Wearer, on model: BoardModel = .metaMotionRL, _ signal: Signal,
    _ commands: BoschFeature...
  ) throws -> SimulatedBoardClient {
    var client = SimulatedBoardClient(model, wearer: wearer)
    let sensor = try #require(model.modules.accelerometer)
    let configuration = try #require(sensor.configuration(nearestRate: 100, range: 8))
    client.write(sensor.configure(configuration))
    client.subscribe(signal)
    client.write(commands.map(\.command.bytes))
    client.write(sensor.powerOn(configuration))
    #expect(client.board.complaints == [])
    return client
  }

  func events(
    _ client: inout SimulatedBoardClient, seconds: Double
  ) throws -> [AccelerometerEvent] {
    try client.hear(seconds: seconds).compactMap {
      if case .accelerometerEvent(let event) = $0 { event } else { nil }
    }
  }

  static let models = [BoardModel.metaMotionRL, .metaWearC, .metaEnvironment]

  @Test(arguments: models)
  func `a fall is reported once, after its minimum duration`(_ model: BoardModel) throws {
    var settings = LowHighSettings(
      defaultsOf: try #require(model.modules.accelerometer?.chip))
    settings.setLow(
      g: 0.3, milliseconds: 100, isSum: true,
      on: try #require(model.modules.accelerometer?.chip))
    var client = try client(
      Movement.fall(at: 1), on: model, .lowHigh, .lowHigh(settings), .detect([.low]))
    #expect(try events(&client, seconds: 1.05) == [])
    let told = try events(&client, seconds: 5)
    #expect(told.count == 1)
    guard case .lowHigh(isHigh: false, isLow: true, _, _)? = told.first else {
      Issue.record("\(told)")
      return
    }
  }

  @Test func `a knock is reported with its axis and its sign`() throws {
    var settings = LowHighSettings(defaultsOf: .bmi160)
    settings.setHigh(g: 2, milliseconds: 2.5, range: 8, on: .bmi160)
    var client = try client(
      Movement.knocks(at: [1], SIMD3(0, -4, 0)), .lowHigh, .lowHigh(settings),
      .detect([.highX, .highY, .highZ]))
    guard
      case .lowHigh(isHigh: true, isLow: false, let axes, .negative)? = try events(
        &client, seconds: 3
      ).first
    else {
      Issue.record("no knock")
      return
    }
    #expect(axes == .init(x: false, y: true, z: false))
  }

  @Test(arguments: models)
  func `the start and the end of motion are reported`(_ model: BoardModel) throws {
    let chip = try #require(model.modules.accelerometer?.chip)
    var settings = MotionSettings(defaultsOf: chip)
    settings.setAny(count: 1, g: 0.5, range: 8)
    var moving = try client(
      Movement.shaking(from: 2, to: 3), on: model, .motion, .motion(settings),
      .detect(.any, on: chip))
    #expect(try events(&moving, seconds: 1.9) == [])
    guard case .motion(let kind, let axes, _)? = try events(&moving, seconds: 3).first else {
      Issue.record("no motion")
      return
    }
    #expect(kind == .init(isSignificant: false, isNone: false, isAny: true))
    #expect(axes.x)

    settings = MotionSettings(defaultsOf: chip)
    settings.setNo(milliseconds: 2_560, g: 0.3, range: 8, on: chip)
    var resting = try client(
      Movement.shaking(from: 0, to: 3), on: model, .motion, .motion(settings),
      .detect(.no, on: chip))
    #expect(try events(&resting, seconds: 4.9) == [])
    guard case .motion(let end, _, _)? = try events(&resting, seconds: 1).first else {
      Issue.record("no rest")
      return
    }
    #expect(end.isNone)
  }

  @Test func `continuous motion is reported as significant, but a jolt is not`() throws {
    var settings = MotionSettings(defaultsOf: .bmi160)
    settings.setAny(count: 1, g: 0.5, range: 8)
    settings.setSignificant(skip: .seconds1half, proof: .second)
    for (end, count) in [(2.2, 0), (5.0, 1)] {
      var client = try client(
        Movement.shaking(from: 2, to: end), .motion, .motion(settings),
        .detect(.significant, on: .bmi160))
      let told = try events(&client, seconds: 5)
      #expect(told.count == count)
      if case .motion(let kind, _, _)? = told.first { #expect(kind.isSignificant) }
    }
  }

  @Test
  func `a lone tap is single, two quick taps are a double tap, and slower taps are separate`()
    throws
  {
    var settings = TapSettings()
    settings.setThreshold(g: 2, range: 8)
    settings.setWindow(milliseconds: 250)
    var client = try client(
      Movement.knocks(at: [1, 3, 3.2, 5], SIMD3(0, 0, 4)), .tap, .tap(settings),
      .detect([.single, .double]))
    let kinds = try events(&client, seconds: 7).compactMap { event -> Bool? in
      guard case .tap(let isDouble, let isSingle, let axes, .positive) = event else { return nil }
      #expect(axes.z && isDouble != isSingle)
      return isDouble
    }
    #expect(kinds == [false, false, true, false])
  }

  @Test(arguments: PositionCase.all)
  func `a new orientation is reported`(_ item: PositionCase) throws {
    var client = try client(
      Movement.turn(to: item.up), .orientation, .single(.orientation, isOn: true))
    #expect(try events(&client, seconds: 3).last == .orientation(item.orientation))
  }

  @Test
  func `lying flat is reported; from revision 2, face up and face down are distinguished`()
    throws
  {
    let models: [(BoardModel, isFaceDown: Bool?)] = [(.metaMotionRL, false), (.metaWearC, nil)]
    for (model, isFaceDown) in models {
      var client = try client(
        Movement.turn(to: SIMD3(1, 0, 0)), on: model, .flat, .single(.flat, isOn: true))
      let told = try events(&client, seconds: 3)
      #expect(
        told.compactMap { event -> Bool? in
          if case .flat(let isFlat, _) = event { isFlat } else { nil }
        } == [true, false])
      #expect(told.first == .flat(true, isFaceDown: isFaceDown))
    }
  }

  @Test func `every heel strike is reported and counted as a step`() throws {
    var client = try client(
      GaitWearer(seed: 3), .stepDetector, .steps(StepSettings(.normal, isCounting: true)),
      .single(.stepDetector, isOn: true))
    let steps = try events(&client, seconds: 60)
    #expect((50...58).contains(steps.count), "\(steps.count) steps")
    #expect(steps.allSatisfy { $0 == .stepDetected(1) })
    #expect(
      try client.read(.stepCounter) == [.accelerometerEvent(.stepCount(UInt16(steps.count)))])
    client.write(BoschFeature.resetSteps)
    #expect(try client.read(.stepCounter) == [.accelerometerEvent(.stepCount(0))])
    #expect(client.board.complaints == [])
  }

  @Test
  func `an accelerometer feature is reported only if it is subscribed to, enabled and powered`()
    throws
  {
    let sensor = Accelerometer(chip: .bmi160, revision: 2)
    let steps: [Command] = [
      .subscribe(.accelerometer, 0x11),
      BoschFeature.single(.orientation, isOn: true).command, Command(.accelerometer, 1, [1]),
    ]
    for missing in -1..<3 {
      var client = SimulatedBoardClient(
        .metaMotionRL, wearer: Movement.turn(to: SIMD3(0, -1, 0)))
      client.write(sensor.configure(try sensor.configuration(rate: 100, range: 8)))
      for (index, step) in steps.enumerated() where index != missing { client.write(step) }
      #expect(client.wait(seconds: 3).isEmpty == (missing >= 0))
      #expect(client.board.complaints == [])
    }
  }
}

@Suite(.computation) struct BMI270FeaturesTests {
  /// Returns a client of a board whose accelerometer is running. The feature was enabled in the
  /// order that the chip requires.
  func client(
    _ wearer: any Wearer, _ signal: Signal, _ feature: BMI270Feature.Set,
    _ configuration: BMI270Feature.Configuration? = nil
  ) throws -> SimulatedBoardClient {
    var client = SimulatedBoardClient(.metaMotionS, wearer: wearer)
    let sensor = Accelerometer(chip: .bmi270, revision: 0)
    let rate = try sensor.configuration(rate: 100, range: 8)
    client.write(sensor.configure(rate))
    if let configuration { client.write(BMI270Feature.configure(configuration)) }
    client.subscribe(signal)
    client.write(BMI270Feature.interrupts(enable: feature, disable: []))
    client.write(BMI270Feature.features(enable: feature, disable: []))
    client.write(sensor.powerOn(rate))
    #expect(client.board.complaints == [])
    return client
  }

  @Test func `any motion, no motion and significant motion are distinguished`() throws {
    let kinds: [(BMI270Feature.Set, BMI270Feature.Configuration, ClosedRange<Double>)] = [
      (.anyMotion, .anyMotion(.anyDefault), 2...2.3), (.noMotion, .noMotion(.noDefault), 0...0.3),
      (.significantMotion, .significantMotion(blockSize: 250), 6.5...7.5),
    ]
    for (feature, configuration, time) in kinds {
      var client = try client(Movement.shaking(from: 2), .motion, feature, configuration)
      let told = client.wait(seconds: 10)
      #expect(told.count == 1, "\(told)")
      let first = try #require(told.first)
      #expect(time.contains(first.time), "\(first.time)")
      #expect(
        try Notification(decoding: first.bytes.span, from: client.board.model.modules)
          == .accelerometerEvent(
            .plainMotion(
              .init(
                isSignificant: feature == .significantMotion, isNone: feature == .noMotion,
                isAny: feature == .anyMotion))))
    }
  }

  @Test func `steps are reported one by one, after every twenty steps, or on request`() throws {
    var detecting = try client(GaitWearer(seed: 3), .stepDetector, .stepDetector)
    let steps = try detecting.hear(seconds: 60)
    #expect((50...58).contains(steps.count))
    #expect(steps.allSatisfy { $0 == .accelerometerEvent(.stepDetected(1)) })

    var counting = try client(
      GaitWearer(seed: 3), .stepCounter, .stepCounter, .stepReport(intervals: 1))
    #expect(
      try counting.hear(seconds: 60) == [
        .accelerometerEvent(.stepCount(20)), .accelerometerEvent(.stepCount(40)),
      ])
    #expect(
      try counting.read(.stepCounter) == [.accelerometerEvent(.stepCount(UInt16(steps.count)))])
  }

  @Test func `the wearer's activity is reported when it changes`() throws {
    let walk = GaitWearer(seed: 9)
    let run = GaitWearer(seed: 9, gait: .running)
    let wearer = TestWearer(force: { time in
      time < 10
        ? SIMD3(0, 0, 1)
        : time < 20 ? walk.acceleration(at: time) : run.acceleration(at: time)
    })
    var client = try client(wearer, .activity, .activity)
    #expect(
      try client.hear(seconds: 40) == [
        .accelerometerEvent(.activity(.still)), .accelerometerEvent(.activity(.walking)),
        .accelerometerEvent(.activity(.running)),
      ])
  }

  @Test func `turning the wrist is reported as a wake-up, and flicking the wrist as a gesture`()
    throws
  {
    let wearer = TestWearer(force: { $0 < 2 ? SIMD3(1, 0, 0) : SIMD3(0, 0, 1) })
    var waking = try client(
      wearer, .wrist, .wristWakeUp, .wristWakeUp(BMI270Feature.wristWakeUpDefault))
    #expect(try waking.hear(seconds: 5) == [.accelerometerEvent(.wrist(type: 0, code: 0))])

    let gestures: [(turns: [Double], code: UInt8)] = [
      ([400, -400], 4), ([-400, 400], 5), ([400, -400, 400], 3),
    ]
    for (turns, code) in gestures {
      let flicking = TestWearer(turning: { time in
        let part = Int((time - 2) / 0.1)
        return time >= 2 && part < turns.count ? SIMD3(turns[part], 0, 0) : .zero
      })
      var client = try client(
        flicking, .wrist, .wristGesture, .wristGesture(.init(isRightArm: true)))
      #expect(try client.hear(seconds: 5) == [.accelerometerEvent(.wrist(type: 1, code: code))])
    }
  }

  @Test func `the chip's thermometer can be read only after it has been switched on`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    #expect(try client.read(.dieTemperature) == [])
    #expect(client.board.complaints.count == 1)
    client.write(BMI270Feature.dieTemperature(isOn: true))
    guard
      case .accelerometerEvent(.dieTemperature(let counts))? = try client.read(.dieTemperature)
        .first
    else {
      Issue.record("no temperature")
      return
    }
    #expect(AccelerometerEvent.degrees(dieTemperature: counts) == 29.5)
  }
}

@Suite(.computation) struct MMA8452QFeaturesTests {
  func client(
    _ wearer: any Wearer, _ signal: Signal, _ commands: MMA8452QFeature...
  ) -> SimulatedBoardClient {
    var client = SimulatedBoardClient(.metaWearR, wearer: wearer)
    client.subscribe(signal)
    client.write([[0x03, 0x03, 0x02, 0x00, 0x18, 0x00, 0x00]])
    client.write(commands.map(\.command.bytes))
    client.write([[0x03, 0x01, 0x01]])
    #expect(client.board.complaints == [])
    return client
  }

  @Test func `falling and motion are detected by two settings of the same feature`() throws {
    var falling = client(
      Movement.fall(at: 1), .movement, .movement(isFreeFall: true, thresholdG: 0.3),
      .enable(.movement, isOn: true))
    let told = try falling.hear(seconds: 4)
    #expect(told.count == 1)
    guard case .accelerometerEvent(.movement(let none, _))? = told.first else {
      Issue.record("\(told)")
      return
    }
    #expect(none == .init(x: false, y: false, z: false))

    let wearer = TestWearer(force: { $0 < 1 ? SIMD3(0, 0, 1) : SIMD3(-2.5, 0, 1) })
    var moving = client(
      wearer, .movement, .movement(isFreeFall: false, thresholdG: 2),
      .enable(.movement, isOn: true))
    guard
      case .accelerometerEvent(.movement(let axes, let signs))? = try moving.hear(seconds: 4)
        .first
    else {
      Issue.record("no movement")
      return
    }
    #expect(axes == .init(x: true, y: false, z: false))
    #expect(signs.x == .negative)
  }

  @Test func `shaking and taps are reported with their axes`() throws {
    var shaken = client(
      TestWearer(force: { SIMD3($0 > 1 && $0 < 1.1 ? 1.5 : 0, 0, 1) }), .shake,
      .shake(along: .x), .enable(.shake, isOn: true))
    guard case .accelerometerEvent(.shake(let axes, _))? = try shaken.hear(seconds: 3).first
    else {
      Issue.record("no shaking")
      return
    }
    #expect(axes == .init(x: true, y: false, z: false))

    for (axis, count) in [(MMA8452QFeature.Axis.z, 1), (.x, 0)] {
      var tapped = client(
        Movement.knocks(at: [1], SIMD3(0, 0, 4)), .tap, .tap(along: axis, isDouble: false),
        .enable(.tap, isOn: true))
      let taps = try tapped.hear(seconds: 3)
      #expect(taps.count == count)
      if case .accelerometerEvent(.axisTap(let isDouble, let axes, let signs))? = taps.first {
        #expect(!isDouble && axes.z && signs.z == .positive)
      }
    }
  }

  @Test(arguments: PositionCase.all)
  func `a new orientation is reported in the chip's own encoding`(_ item: PositionCase) throws {
    let start = MMA8452QFeature.orientation(isOn: true)
    var client = client(Movement.turn(to: item.up), .orientation, start[0], start[1])
    #expect(
      try client.hear(seconds: 3).last == .accelerometerEvent(.orientation(item.orientation)))
  }
}
