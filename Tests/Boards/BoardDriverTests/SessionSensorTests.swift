import BoardDriver
import MetaWearProtocol
import Recording
import Simulation
import TestSupport
import Testing

/// Every sensor of every simulated model, from the request to values in the sensor's unit.
@Suite(.computation) struct SessionSensorTests {
  struct SensorCase: CustomTestStringConvertible, Sendable {
    var model: BoardModel
    var signal: String

    var testDescription: String { "\(model): \(signal)" }
  }

  static let sensors = BoardModel.all.flatMap { model in
    model.modules.sensors.map { SensorCase(model: model, signal: $0.signal) }
  }

  /// Runs a board that lies flat on a table, 2 cm below a surface, with a different voltage on each
  /// pin.
  func play(_ requests: [SensorRequest], model: BoardModel) -> SessionPlay {
    var play = SessionPlay(requests, model: model)
    play.board.surroundings.metresToSurface = 0.02
    for pin in (model.modules[.gpio]?.extra ?? []).indices {
      play.board.setPin(UInt8(pin), to: .millivolts(1_000 + 100 * pin), at: 0)
    }
    play.subscribe()
    return play
  }

  /// Returns the expected values of a sample at rest and their tolerance: the spread between chips
  /// of a kind plus five times the noise. Returns `nil` for an unknown signal.
  func expectation(
    of signal: String, on model: BoardModel
  ) -> (values: [Double], tolerance: Double)? {
    let name = signal.hasSuffix("_imu") ? String(signal.dropLast(4)) : signal
    return switch name {
    case "acceleration": ([0, 0, 1], 0.03)
    case "angular_velocity": ([0, 0, 0], 0.9)
    case "magnetic_field": ([0, 20.4, -44.1], 5)
    case "pressure": ([100_000], 60)
    // The altitude at 1000 hPa in the standard atmosphere.
    case "altitude": ([110.9], 5)
    case "illuminance": ([320], 2)
    case "temperature": ([29.25], 0)
    case "temperature_processor": ([31.5], 0)
    // The request names no pins for the thermistor, so the board reads 0.
    case "temperature_external": ([0], 0)
    // Some boards list the channel but have no barometer.
    case "temperature_barometer": ([model.modules.has(.barometer) ? 27.5 : 0], 0)
    case "humidity": ([45], 0.4)
    case "colour": ([128, 46, 44, 38], 0)
    case "proximity": ([625], 0)
    case "steps": ([0], 0)
    case "corrected_acceleration": ([0, 0, 1], 0.005)
    case "corrected_angular_velocity": ([0, 0, 0], 0.3)
    case "corrected_magnetic_field": ([0, 20.4, -44.1], 0.001)
    case "quaternion": ([0, 0, 0, 1], 0.01)
    case "euler_angles": ([0, 0, 0, 0], 0.5)
    case "gravity": ([0, 0, 9.80665], 0.001)
    case "linear_acceleration": ([0, 0, 0], 0.06)
    default: Self.pin(name).map { ([1 + 0.1 * Double($0)], 0) }
    }
  }

  static func pin(_ signal: String) -> Int? {
    signal.hasPrefix("voltage_pin") ? Int(signal.dropFirst(11)) : nil
  }

  func check(_ sample: CountedSample, of stream: BoardStream, on model: BoardModel) throws {
    let description = stream.description
    let raw = [sample.x, sample.y, sample.z, sample.w].prefix(description.axisCount)
    var values = raw.map(description.value(of:))
    if description.signal.hasPrefix("quaternion") {
      #expect(abs(values.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5, "a rotation has length 1")
    }
    if description.signal.hasPrefix("euler_angles") {
      // North reads as 0, or as almost 360 if the heading is slightly to the west.
      values = values.map { $0 > 180 ? $0 - 360 : $0 }
    }
    let (expected, tolerance) = try #require(expectation(of: description.signal, on: model))
    try #require(values.count == expected.count)
    for (value, wanted) in zip(values, expected) {
      try #require(
        abs(value - wanted) <= tolerance + 1e-9, "\(description.signal) is \(values)")
    }
  }

  @Test(arguments: sensors)
  func `a sensor on a board at rest streams the expected values at its rate, and stops on request`(
    _ item: SensorCase
  ) throws {
    let sensor = try #require(item.model.modules.sensors.first { $0.signal == item.signal })
    let rate = sensor.rates[sensor.rates.count / 2]
    var play = play([SensorRequest(signal: item.signal, rate: rate)], model: item.model)
    while !play.hasEnded, play.received == 0, play.time < 30 { play.live(0.1) }
    try #require(play.failure == nil)
    #expect(play.isRunning)
    let stream = try #require(play.streams.first)
    #expect(stream.description.rate == rate)

    // The board's clock is slightly fast, and a packet at either end may contain a few more
    // samples.
    let seconds = max(1, 8 / rate)
    let before = play.received
    play.live(seconds)
    let expected = seconds * rate * SimulatedBoard.defaultClockFactor
    let count = Double(play.received - before)
    #expect(abs(count - expected) <= Double(stream.layout.samplesPerPacket) + 1)
    #expect(play.missing == 0)
    for segment in play.segments.joined() {
      #expect(segment.malformed == 0)
      for sample in segment.samples { try check(sample, of: stream, on: item.model) }
    }

    play.feed(.stop)
    play.live(5)
    #expect(play.isFinished)
    #expect(play.failure == nil)
    #expect(play.resumptions == [])
    #expect(play.board.complaints == [])
    var late: [SimulatedNotification] = []
    play.board.advance(to: play.time + 3, into: &late)
    #expect(late == [])
  }

  @Test func `a sensor requested without a rate gets the default rate of its kind`() throws {
    var play = play(
      ["acceleration", "temperature"].map { SensorRequest(signal: $0, rate: nil) },
      model: .metaMotionS)
    play.live(2)
    try #require(play.failure == nil)
    #expect(play.streams.map(\.setup.rate) == [100, 1])
  }

  @Test(arguments: [BoardModel.metaMotionS, .metaMotionRL])
  func `a board counts steps while it measures acceleration`(_ model: BoardModel) throws {
    var play = SessionPlay(
      ["acceleration", "steps"].map { SensorRequest(signal: $0, rate: nil) }, model: model,
      wearer: GaitWearer(seed: 3))
    play.subscribe()
    play.live(25)
    try #require(play.failure == nil)
    try #require(play.segments.count == 2)
    let counts = play.segments[1].flatMap(\.samples).map(\.x)
    #expect(counts == counts.sorted())
    #expect(try #require(counts.last) > 10)
    #expect(play.segments[0].flatMap(\.samples).count > 2_000)
    #expect(play.board.complaints == [])
  }

  @Test func `sensors of several kinds stream together, including two fusion outputs`() throws {
    let rates: KeyValuePairs = [
      "quaternion": 50.0, "gravity": 50, "pressure": 4, "altitude": 4, "illuminance": 5,
      "temperature": 2,
    ]
    var play = play(
      rates.map { SensorRequest(signal: $0, rate: $1) }, model: .metaMotionS)
    play.live(6)
    try #require(play.failure == nil)
    #expect(play.streams.map(\.setup.signal) == rates.map(\.key))
    for (stream, segments) in zip(play.streams, play.segments) {
      #expect(Double(segments[0].samples.count) > 3 * stream.description.rate)
      for sample in segments[0].samples { try check(sample, of: stream, on: .metaMotionS) }
    }
    play.feed(.stop)
    play.live(5)
    #expect(play.isFinished)
    #expect(play.board.complaints == [])
  }
}
