import MetaWearProtocol
@testable import Simulation
import TestSupport
import Testing
import Values

@Suite(.computation) struct SimulatedBoardTests {
  static let models = [BoardModel.metaMotionS, .metaMotionRL]

  /// Returns the modules that a client discovers.
  func discover(_ client: inout SimulatedBoardClient) throws -> ModuleTable {
    var modules = ModuleTable()
    for module in ModuleID.allCases {
      let answers = client.write(.readModuleInfo(module))
      #expect(answers.count == 1)
      for answer in answers {
        guard
          case .moduleInfo(module, let info) = try Notification(
            decoding: answer.span, from: modules)
        else { continue }
        modules[module] = info
      }
    }
    return modules
  }

  @Test(arguments: models)
  func `a client discovers the board, counts the samples of both sensors and stops`(
    _ model: BoardModel
  ) throws {
    var client = SimulatedBoardClient(model, wearer: GaitWearer(seed: 7))
    let modules = try discover(&client)
    #expect(modules == model.modules)
    #expect(Model(number: model.modelNumber, modules: modules).description == model.name)

    client.write(Settings.prefer(.fast))
    client.write(DataProcessor.removeAll, Event.removeAll, LED.stopAndClear)
    let acceleration = try #require(modules.accelerometer)
    let turning = try #require(modules.gyroscope)
    let ids = [
      try client.countPairs(of: acceleration), try client.countPairs(of: turning),
    ]
    for sensor in modules.motionSensors {
      let stop = Event.record(sensor.powerOff, when: .disconnect)
      _ = try client.id(client.write(stop.map(\.bytes)))
    }
    try client.start(acceleration, rate: 100, range: 16, subscribing: nil)
    try client.start(turning, rate: 100, range: 2000, subscribing: nil)
    let notifications = client.wait(seconds: 10)

    for (sensor, id) in zip(modules.motionSensors, ids) {
      var decoder = try #require(
        StreamDecoder(sensor.samples, layout: .countedPair(processor: id)))
      var counters: [UInt32] = []
      var batch = SampleBatch()
      for notification in notifications where decoder.claims(notification.bytes.span) {
        try decoder.decode(notification.bytes.span, into: &batch)
        try #require(notification.sampleCount == batch.count)
        for index in 0..<batch.count { counters.append(batch[index].counter) }
      }
      #expect((996...1003).contains(counters.count), "\(counters.count) samples in 10 s")
      #expect(counters == Array(0..<UInt32(counters.count)))
    }

    client.write(acceleration.powerOff, acceleration.disableDataReady)
    client.write(turning.powerOff, turning.disableDataReady)
    client.write(DataProcessor.removeAll, Event.removeAll)
    #expect(client.wait(seconds: 5).isEmpty)
    #expect(client.board.complaints == [])
    #expect(client.board.notificationsSent == UInt64(client.received.count))
    #expect(
      client.board.samplesSent == UInt64(client.received.reduce(0) { $0 + $1.sampleCount }))
  }

  @Test(arguments: models)
  func `samples are sent one or three per packet, depending on the subscription`(
    _ model: BoardModel
  ) throws {
    for sensor in model.modules.motionSensors {
      for layout in [StreamLayout.single, .packed] {
        var client = SimulatedBoardClient(model)
        try client.start(
          sensor, rate: 50, range: sensor.ranges[1].limit,
          subscribing: layout == .packed ? sensor.packedRegister : sensor.sampleRegister)
        let notifications = client.wait(seconds: 3)
        var decoder = try #require(StreamDecoder(sensor.samples, layout: layout))
        var batch = SampleBatch()
        var samples = 0
        for notification in notifications {
          try decoder.decode(notification.bytes.span, into: &batch)
          samples += batch.count
          #expect(notification.sampleCount == layout.samplesPerPacket)
        }
        #expect((145...151).contains(samples), "\(layout)")
        #expect(client.board.samplesSent == UInt64(samples))
        #expect(client.board.complaints == [])
      }
    }
  }

  @Test func `a client that writes plain commands gets a stream of samples`() {
    // A MetaMotion S at 100 Hz, with single samples at ±2 g and packed samples at ±250 degrees per
    // second.
    var client = SimulatedBoardClient(.metaMotionS)
    client.write([
      [0x03, 0x03, 0xa8, 0x00], [0x03, 0x04, 0x01], [0x03, 0x02, 0x01, 0x00], [0x03, 0x01, 0x01],
      [0x13, 0x03, 0x28, 0x03], [0x13, 0x05, 0x01], [0x13, 0x02, 0x01, 0x00], [0x13, 0x01, 0x01],
    ])
    let notifications = client.wait(seconds: 1)
    #expect((98...101).contains(notifications.filter { $0.bytes[0] == 0x03 }.count))
    #expect((30...32).contains(notifications.filter { $0.bytes.prefix(2) == [0x13, 0x05] }.count))
    #expect(client.board.complaints == [])
  }

  @Test func `samples are sent only if subscription, data-ready and power are all on`() throws {
    let sensor = Accelerometer(chip: .bmi270, revision: 0)
    let configuration = try sensor.configuration(rate: 100, range: 8)
    let steps: [Command] = [
      .subscribe(.accelerometer, 0x04), sensor.enableDataReady, sensor.powerOn(configuration),
    ]
    for missing in steps.indices {
      var client = SimulatedBoardClient(.metaMotionS)
      for (index, step) in steps.enumerated() where index != missing { client.write(step) }
      #expect(client.wait(seconds: 1).isEmpty, "without step \(missing)")
    }
  }

  @Test func `the sample rate and the log's clock follow the frequency of the board's crystal`()
    throws
  {
    for factor in [SimulatedBoard.defaultClockFactor, 0.98] {
      var client = SimulatedBoardClient(.metaMotionS, clockFactor: factor)
      let sensor = Accelerometer(chip: .bmi270, revision: 0)
      try client.start(sensor, rate: 100, range: 8, subscribing: sensor.sampleRegister)
      let notifications = client.wait(seconds: 60)
      #expect(abs(Double(notifications.count) - 6_000 * factor) <= 2)
      let first = try #require(notifications.first)
      let last = try #require(notifications.last)
      let period = (last.time - first.time) / Double(notifications.count - 1)
      #expect(abs(period * 100 * factor - 1) < 1e-9)

      // The log's clock is driven by the same crystal.
      let answer = client.write(Logging.readTime)[0]
      guard
        case .timeReference(let reference) = try Notification(
          decoding: answer.span, from: ModuleTable())
      else {
        Issue.record("no time reference")
        return
      }
      let seconds = Double(reference.tick) * Logging.tickSeconds
      #expect(abs(seconds - 60 * factor) <= Logging.tickSeconds)
      #expect(reference.resetUID == 0)
    }
  }

  @Test func `notifications do not depend on how often the host polls`() throws {
    let sensor = Gyroscope(chip: .bmi160, revision: 1)
    var patient = SimulatedBoardClient(.metaMotionRL, wearer: GaitWearer(seed: 3))
    try patient.start(sensor, rate: 100, range: 500, subscribing: sensor.packedRegister)
    var all: [SimulatedNotification] = []
    patient.board.advance(to: 5, into: &all)

    var eager = SimulatedBoardClient(.metaMotionRL, wearer: GaitWearer(seed: 3))
    try eager.start(sensor, rate: 100, range: 500, subscribing: sensor.packedRegister)
    #expect(eager.wait(seconds: 5) == all)
    #expect(!all.isEmpty)

    var other = SimulatedBoardClient(.metaMotionRL, wearer: GaitWearer(seed: 3), seed: 2)
    try other.start(sensor, rate: 100, range: 500, subscribing: sensor.packedRegister)
    #expect(other.wait(seconds: 5) != all)
  }

  @Test func `with every sensor on, notifications do not depend on how often the host polls`()
    throws
  {
    func everything(seed: UInt64) throws -> SimulatedBoardClient {
      var client = SimulatedBoardClient(
        .metaMotionS, wearer: GaitWearer(seed: 3), seed: seed)
      client.write(client.board.model.modules.halt.map(\.bytes))
      client.wait(seconds: 1)
      for sensor in client.board.model.modules.sensors where sensor.isStreaming {
        let rate = try #require(sensor.rates.last)
        let setup = try sensor.setup(rate: rate, range: nil)
        guard setup.owner != .sensorFusion else { continue }
        // Pressure and altitude are two streams of one chip, which is configured once.
        if sensor.signal != "altitude" { client.write(setup.configure.map(\.bytes)) }
        client.write([[setup.samples.module.rawValue, setup.samples.register, 1]])
        client.write((setup.enable + setup.powerOn).map(\.bytes))
      }
      return client
    }
    var patient = try everything(seed: 1)
    var all: [SimulatedNotification] = []
    patient.board.advance(to: patient.time + 2, into: &all)
    var eager = try everything(seed: 1)
    #expect(eager.wait(seconds: 2) == all)
    #expect(Set(all.map { $0.bytes[0] }) == [0x03, 0x12, 0x13, 0x14, 0x15])
    #expect(patient.board.complaints == [])
    var other = try everything(seed: 2)
    #expect(other.wait(seconds: 2) != all)
  }

  @Test func `values far beyond a sensor's range do not crash the simulated board`() throws {
    for sign in [-1.0, 1] {
      for model in [BoardModel.metaMotionS, .metaEnvironment] {
        var client = SimulatedBoardClient(model)
        var surroundings = Surroundings()
        surroundings.celsius = sign * 1e6
        surroundings.pascals = sign * 1e6
        surroundings.lux = sign * 1e9
        surroundings.humidityPercent = sign * 1e6
        surroundings.magneticField = SIMD3(repeating: sign * 1e6)
        surroundings.metresToSurface = sign
        client.board.surroundings = surroundings
        client.write([
          [0x15, 0x01, 0], [0x12, 0x04, 1, 1], [0x14, 0x01, 1], [0x03, 0x0e, 1], [0x04, 0x81, 0],
          [0x03, 0x8f], [0x16, 0x81], [0x17, 0x81], [0x12, 0x81], [0x12, 0x82],
        ])
        client.wait(seconds: 0.5)
        client.write([[0x15, 0x02, 1, 0], [0x15, 0x01, 1], [0x15, 0x05, 1], [0x14, 0x03, 1]])
        #expect(!client.wait(seconds: 2).isEmpty || model == .metaEnvironment)
      }
    }
  }

  @Test func `a reading is quantised and clipped according to the sensor's range`() throws {
    struct Thrown: Wearer {
      func acceleration(at time: Double) -> SIMD3<Double> { SIMD3(5, -5, 1) }
      func angularVelocity(at time: Double) -> SIMD3<Double> { .zero }
    }
    var client = SimulatedBoardClient(.metaMotionRL, wearer: Thrown())
    let sensor = Accelerometer(chip: .bmi160, revision: 2)
    try client.start(sensor, rate: 100, range: 2, subscribing: sensor.sampleRegister)
    var count = 0
    for notification in client.wait(seconds: 1) {
      guard
        case .sample(_, let vector) = try Notification(
          decoding: notification.bytes.span, from: client.board.model.modules)
      else { continue }
      count += 1
      #expect(vector.x == .max)
      #expect(vector.y == .min)
      #expect(abs(Double(vector.z) / 16_384 - 1) < 0.05)
    }
    #expect(count > 90)
  }

  @Test func `a simulated board has the device information of its model`() {
    let board = SimulatedBoardClient(.metaMotionS).board
    #expect(board.serialNumber == "975005")
    #expect(board.advertisedName == "MetaWear")
    #expect(board.model.firmwareRevision == "1.7.2")
    #expect(board.model.hardwareRevision == "0.1")
    #expect(board.model.manufacturer == "MbientLab Inc")
    #expect(BoardModel.metaMotionS.modelNumber == "8")
    #expect(BoardModel.metaMotionRL.modelNumber == "5")
  }

  @Test func `read commands get a reply, and silent reads get none`() {
    var client = SimulatedBoardClient(.metaMotionRL)
    #expect(client.write(Settings.readBattery) == [[0x11, 0x8c, 99, 0x34, 0x10]])
    #expect(client.write(Settings.readName) == [[0x11, 0x81] + Array("MetaWear".utf8)])
    client.write(Settings.prefer(.fast))
    #expect(
      client.write(Settings.readConnectionParameters)
        == [[0x11, 0x89, 6, 0, 6, 0, 0, 0, 0x58, 0x02]])
    #expect(client.write([[0x03, 0x83]]) == [[0x03, 0x83, 0x28, 0x03]])
    #expect(
      client.write([[0x03, 0x03, 0x27, 0x05], [0x03, 0x83]]) == [[0x03, 0x83, 0x27, 0x05]])
    #expect(client.write([[0x13, 0x83]]) == [[0x13, 0x83, 0x28, 0x00]])
    // The chip temperature is 31.5 °C. The RL lists a barometer thermometer, although it has none.
    #expect(client.write(Temperature.read(channel: 0)) == [[0x04, 0x81, 0, 252, 0]])
    #expect(client.write(Temperature.read(channel: 3)) == [[0x04, 0x81, 3, 0, 0]])
    #expect(client.write([[0x11, 0x8b]]) == [[0x11, 0x8b, 1, 0x05, 0x50, 0x97, 0xaa, 0x4b, 0xc8]])
    #expect(client.write([[0x11, 0xcc]]) == [], "a silent read is not answered")
    #expect(client.board.complaints == [])
  }

  @Test func `the button reports presses while its signal is subscribed to`() {
    var client = SimulatedBoardClient(.metaMotionS)
    client.board.setSwitch(isPressed: true, at: 0)
    client.write(Switch.subscribe)
    client.board.setSwitch(isPressed: false, at: 1)
    #expect(client.wait(seconds: 2).map(\.bytes) == [[0x01, 0x01, 0]])
    #expect(client.write(Switch.read) == [[0x01, 0x81, 0]])
  }
}
