import BoardDriver
import MetaWearProtocol
import Recording
import TestSupport
import Testing

/// The measuring range that a stream reports.
@Suite(.computation) struct BoardStreamTests {
  private func stream(_ signal: String, range: Double? = nil) throws -> BoardStream {
    let modules = try #require(ModuleTable.preset(for: .metaMotionS))
    let sensor = try #require(modules.sensors.first { $0.signal == signal })
    return BoardStream(try sensor.setup(rate: sensor.rates[0], range: range), layout: .single)
  }

  @Test func `a stream's description and text state its range`() throws {
    let acceleration = try stream("acceleration", range: 4)
    #expect(acceleration.description.range == 4)
    #expect(acceleration.words == "acceleration (±4 g) at 0.781 Hz as single")
    #expect(try stream("illuminance").words == "illuminance (up to 64000 lx) at 0.5 Hz as single")
  }

  @Test func `a sensor without a configurable range reports no range`() throws {
    let pressure = try stream("pressure")
    #expect(pressure.description.range == nil)
    #expect(pressure.words.hasPrefix("pressure at "))
  }
}
