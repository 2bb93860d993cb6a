import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

/// Barometer settings, and the resulting number of values per second.
struct BarometerCase: CustomTestStringConvertible, Sendable {
  var oversampling: Barometer.Oversampling
  var standbyCode: UInt8
  var hertz: Double

  var testDescription: String { "\(oversampling), code \(standbyCode): \(hertz) Hz" }
}

@Suite(.computation) struct SimulatedBarometerTests {
  // Rates from the table of typical times in the BMP280's data sheet.
  static let rates = [
    BarometerCase(oversampling: .ultraLowPower, standbyCode: 0, hertz: 166.67),
    BarometerCase(oversampling: .lowPower, standbyCode: 0, hertz: 125),
    BarometerCase(oversampling: .standard, standbyCode: 0, hertz: 83.33),
    BarometerCase(oversampling: .high, standbyCode: 0, hertz: 50),
    BarometerCase(oversampling: .ultraHigh, standbyCode: 0, hertz: 26.32),
    BarometerCase(oversampling: .standard, standbyCode: 2, hertz: 7.33),
    BarometerCase(oversampling: .standard, standbyCode: 7, hertz: 0.25),
  ]

  @Test(arguments: rates)
  func `the barometer's averaging and pause determine the number of values per second`(
    _ item: BarometerCase
  ) throws {
    var client = SimulatedBoardClient(.metaMotionS, clockFactor: 1)
    client.write(
      Barometer.configure(
        .init(oversampling: item.oversampling, standbyCode: item.standbyCode)))
    client.subscribe(.pressure)
    client.write(Barometer.start)
    let values = try client.hear(seconds: 20)
    #expect(abs(Double(values.count) - 20 * item.hertz) <= 1 + 0.2 * item.hertz)
  }

  @Test func `standby code 7 selects a pause of 20 ms on the BME280`() throws {
    var client = SimulatedBoardClient(.metaEnvironment, clockFactor: 1)
    client.write(Barometer.configure(.init(oversampling: .ultraLowPower, standbyCode: 7)))
    client.subscribe(.pressure)
    client.write(Barometer.start)
    // A measurement takes 8 ms, including humidity, and a pause takes 20 ms.
    #expect((356...358).contains(try client.hear(seconds: 10).count))
  }

  @Test func `pressure and altitude are consistent, and follow the environment`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.subscribe(.pressure, .altitude)
    client.write(Barometer.start)
    client.board.surroundings.pascals = 89_874.6
    let values = try client.hear(seconds: 1)
    var counts = (pressures: 0, altitudes: 0)
    for value in values {
      switch value {
      case .pressure(let pressure):
        #expect(abs(Double(pressure) / Barometer.countsPerPascal - 89_874.6) < 65)
        counts.pressures += 1
      // The pressure at 1,000 m in the standard atmosphere.
      case .altitude(let altitude):
        #expect(abs(Double(altitude) / Barometer.countsPerMetre - 1_000) < 7)
        counts.altitudes += 1
      default: Issue.record("\(value)")
      }
    }
    #expect(counts.pressures > 70 && counts.pressures == counts.altitudes)
    #expect(client.board.complaints == [])
  }

  @Test func `the barometer can measure pressure alone, stop streaming, and be read once`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionS)
    client.subscribe(.pressure, .altitude)
    client.write(Barometer.measure(isOn: true, withAltitude: false))
    for value in try client.hear(seconds: 1) {
      guard case .pressure = value else {
        Issue.record("\(value)")
        continue
      }
    }
    client.write(Barometer.stop)
    #expect(try client.hear(seconds: 1).isEmpty)
    guard case .pressure(let counts)? = try client.read(.pressure).first else {
      Issue.record("no response")
      return
    }
    #expect(abs(Double(counts) / 256 - 100_000) < 70)
    #expect(try client.read(.altitude).count == 1)
  }

  @Test func `the barometer's filter smooths a step in pressure`() throws {
    var client = SimulatedBoardClient(.metaMotionS, clockFactor: 1)
    client.write(Barometer.configure(.init(filter: .average16)))
    client.subscribe(.pressure)
    client.write(Barometer.start)
    client.wait(seconds: 1)
    client.board.surroundings.pascals += 1_600
    var values: [Double] = []
    for case .pressure(let counts) in try client.hear(seconds: 2) {
      values.append(Double(counts) / 256)
    }
    let first = try #require(values.first)
    let last = try #require(values.last)
    #expect(first < 100_000 + 200)
    #expect(last > 101_500)
  }
}
