import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ClockModelTests {
  @Test(arguments: [0.995, 1.0, 1.003, 1.02])
  func `the true sample rate of the board is determined, whatever the nominal rate`(factor: Double)
    throws
  {
    var model = ClockModel(rate: 100)
    for number in 0..<UInt32(2_000) {
      model.observe(
        counter: number, arrival: BootTime(nanoseconds: Int64(Double(number) * 1e7 / factor)))
    }
    #expect(abs(model.period - 1e7 / factor) < 1)
    let time = try #require(model.time(of: 1_500))
    #expect(abs(Double(time.nanoseconds) - 1_500 * 1e7 / factor) < 100)
  }

  @Test(arguments: [0.99, 1.003, 1.01])
  func `the first five-second chunk already has the true rate of the sensor`(factor: Double) {
    var model = ClockModel(rate: 400)
    let period = 2.5e6 / factor
    for number in 0..<UInt32(2_000) {
      // Packets of three samples, over a link with a connection event every 11.25 ms.
      let sent = Double(number / 3 * 3 + 2) * period
      let arrival = Int64((sent / 11.25e6).rounded(.up) * 11.25e6)
      model.observe(counter: number, arrival: BootTime(nanoseconds: arrival))
    }
    #expect(abs(model.period / period - 1) < 0.001)
  }

  @Test func `with very few samples, the nominal sample rate is used`() {
    var model = ClockModel(rate: 50)
    for number in 0..<UInt32(50) {
      model.observe(counter: number, arrival: BootTime(nanoseconds: Int64(number) * 1_000_000))
    }
    #expect(model.period == 2e7)
  }

  @Test func `a burst of samples after a stall is not mistaken for a fast board clock`() {
    var model = ClockModel(rate: 100)
    for number in 0..<UInt32(150) {
      model.observe(counter: number, arrival: BootTime(nanoseconds: Int64(number) * 1_000))
    }
    #expect(model.period >= 0.95e7)
  }

  @Test func `delayed packets do not change the line fitted to the sample times`() throws {
    var model = ClockModel(rate: 100)
    for number in 0..<UInt32(6_000) {
      // Every ten seconds the link stalls for two seconds, and all packets arrive at the end of the
      // stall.
      let place = number % 1_000
      let late = place < 200 ? 200 - place : 0
      model.observe(
        counter: number, arrival: BootTime(nanoseconds: Int64(number + late) * 10_040_000))
    }
    #expect(abs(model.period - 10_040_000) < 1)
    let time = try #require(model.time(of: 5_100))
    #expect(abs(time.nanoseconds - 5_100 * 10_040_000) < 1_000)
  }

  @Test
  func `the line fitted to the sample times adapts to a rate that differs from the requested one`()
    throws
  {
    var model = ClockModel(rate: 100)
    for number in 0..<UInt32(6_000) {
      model.observe(counter: number, arrival: BootTime(nanoseconds: Int64(number) * 12_000_000))
    }
    let time = try #require(model.time(of: 6_000))
    #expect(abs(time.nanoseconds - 6_000 * 12_000_000) < 1_000)
  }

  @Test func `the line fitted to the sample times adapts to drift caused by a temperature change`()
    throws
  {
    var model = ClockModel(rate: 50)
    var arrival = 0.0
    for number in 0..<UInt32(30_000) {
      model.observe(counter: number, arrival: BootTime(nanoseconds: Int64(arrival)))
      // The rate changes by 0.1 % within ten minutes.
      arrival += 2e7 * (1 + 0.001 * Double(number) / 30_000)
    }
    let time = try #require(model.time(of: 30_000))
    #expect(abs(Double(time.nanoseconds) - arrival) < 1_000_000)
  }

  @Test
  func `after a board restarts, its sample rate is kept, but its time offset is determined again`()
    throws
  {
    var model = ClockModel(rate: 100)
    for number in 0..<UInt32(2_000) {
      model.observe(counter: number, arrival: BootTime(nanoseconds: Int64(number) * 10_050_000))
    }
    model.restart()
    let shift: Int64 = 4_000_000
    for number in UInt32(3_000)..<3_010 {
      model.observe(
        counter: number, arrival: BootTime(nanoseconds: Int64(number) * 10_050_000 + shift))
    }
    #expect(abs(model.period - 10_050_000) < 1)
    let time = try #require(model.time(of: 3_005))
    #expect(abs(time.nanoseconds - (3_005 * 10_050_000 + shift)) < 1_000)
  }

  @Test func `no time is known before the first sample`() {
    #expect(ClockModel(rate: 100).time(of: 0) == nil)
  }

  @Test func `sample numbering continues when a counter wraps around`() throws {
    var model = ClockModel(rate: 100)
    for step in 0..<UInt32(1_000) {
      model.observe(
        counter: (.max - 499) &+ step, arrival: BootTime(nanoseconds: Int64(step) * 10_000_000))
    }
    let time = try #require(model.time(of: 499))
    #expect(abs(time.nanoseconds - 9_990_000_000) < 1_000)
  }
}
