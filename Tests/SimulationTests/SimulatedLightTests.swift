import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedAmbientLightTests {
  @Test func `the light sensor reports the ambient light at the configured rate`() throws {
    var client = SimulatedBoardClient(.metaMotionS, clockFactor: 1)
    let setting = AmbientLight.configure(
      .times8, integrationMilliseconds: 100, rateMilliseconds: 200)
    client.write(try #require(setting))
    client.subscribe(.illuminance)
    client.write(AmbientLight.measure(isOn: true))
    let values = try client.hear(seconds: 10)
    #expect((49...50).contains(values.count))
    for case .illuminance(let milliLux) in values {
      #expect(abs(Double(milliLux) / 1_000 - 320) < 5)
    }
    client.write(AmbientLight.measure(isOn: false))
    #expect(try client.hear(seconds: 2).isEmpty)
    #expect(client.board.complaints == [])
  }

  @Test(arguments: AmbientLight.Gain.allCases)
  func `a higher gain reduces the light sensor's range by the same factor`(
    _ gain: AmbientLight.Gain
  ) throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.board.surroundings.lux = 100_000
    client.write(try #require(AmbientLight.configure(gain)))
    client.subscribe(.illuminance)
    client.write(AmbientLight.measure(isOn: true))
    let limit = UInt32(64_000_000 / gain.factor)
    #expect(try client.hear(seconds: 1).first == .illuminance(milliLux: limit))
  }
}

@Suite(.computation) struct SimulatedHumidityTests {
  @Test func `humidity is read with any oversampling, up to 100 %`() throws {
    var client = SimulatedBoardClient(.metaEnvironment)
    client.board.surroundings.humidityPercent = 60
    for oversampling in Humidity.Oversampling.allCases {
      client.write(Humidity.oversampling(oversampling))
      guard case .humidity(let counts)? = try client.read(.humidity).first else {
        Issue.record("no response")
        continue
      }
      #expect(abs(Double(counts) / Humidity.countsPerPercent - 60) < 0.5)
    }
    client.board.surroundings.humidityPercent = 120
    #expect(try client.read(.humidity) == [.humidity(counts: 102_400)])
    #expect(client.board.complaints == [])
  }
}

@Suite(.computation) struct SimulatedColourSensorTests {
  @Test func `the colour sensor's counts increase with light and gain, up to a limit`() throws {
    var client = SimulatedBoardClient(.metaEnvironment)
    client.board.surroundings.lux = 1_000
    client.board.surroundings.colour = SIMD3(0.5, 0.3, 0.2)
    client.write(ColourSensor.configure(integrationSteps: 10, .times4, isLit: false))
    #expect(
      try client.read(.color) == [
        .colour(ColourSensor.Reading(clear: 400, red: 200, green: 120, blue: 80))
      ])
    client.write(ColourSensor.configure(integrationSteps: 10, .times60, isLit: false))
    guard case .colour(let reading)? = try client.read(.color).first else {
      Issue.record("no response")
      return
    }
    #expect(reading.red == 3_000)
    client.board.surroundings.lux = 100_000
    guard case .colour(let bright)? = try client.read(.color).first else {
      Issue.record("no response")
      return
    }
    #expect(bright.clear == 10_240 && bright.blue == 10_240)
  }

  @Test func `the colour sensor measures its own light in the dark`() throws {
    var client = SimulatedBoardClient(.metaEnvironment)
    client.board.surroundings.lux = 0
    client.board.surroundings.metresToSurface = 0.02
    client.write(ColourSensor.configure(integrationSteps: 64, .times1, isLit: false))
    let dark = ColourSensor.Reading(clear: 0, red: 0, green: 0, blue: 0)
    #expect(try client.read(.color) == [.colour(dark)])
    client.write(ColourSensor.configure(integrationSteps: 64, .times1, isLit: true))
    #expect(try client.read(.color) != [.colour(dark)])
  }
}

@Suite(.computation) struct SimulatedProximityTests {
  @Test func `a near object reflects more of the proximity sensor's light`() {
    var sensor = SimulatedProximity()
    sensor.configure(integrationSteps: 4, pulses: 8, .channel0, .milliamperes100)
    #expect(sensor.measure(metres: 0.2) == 200)
    #expect(sensor.measure(metres: 0.4) == 50)
    #expect(sensor.measure(metres: 0.001) == 4 * 1_023)
    sensor.configure(integrationSteps: 4, pulses: 8, .both, .milliamperes50)
    #expect(sensor.measure(metres: 0.2) == 200)
  }
}
