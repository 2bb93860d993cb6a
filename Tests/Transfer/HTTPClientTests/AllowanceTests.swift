import TestSupport
import Testing

@testable import HTTPClient

@Suite(.computation) struct AllowanceTests {
  @Test func `the bytes granted since the start never exceed the rate limit plus one burst`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("allowance seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for rate in [1, 500, 12_500, 125_000, 10_000_000] {
      var allowance = Allowance(bytesPerSecond: rate, at: 0)
      var time: UInt64 = 0
      var sent = 0
      for _ in 0..<20_000 {
        sent += allowance.take(Int.random(in: 1...32_768, using: &random), at: time)
        if Int.random(in: 0..<50, using: &random) == 0 {
          allowance.owe(300)
          sent += 300
        }
        // The caller waits for the time that the allowance requests, or for a random time.
        time +=
          Bool.random(using: &random)
          ? allowance.wait(at: time) : UInt64.random(in: 0...3_000_000, using: &random)
      }
      let most = Double(time) * 1e-9 * Double(rate) + max(2_048, Double(rate) / 4) + 300
      #expect(Double(sent) <= most * 1.000_001, "rate \(rate), seed \(seed)")
    }
  }

  @Test func `after the wait that the rate limit requires, a caller is granted bytes`() {
    var allowance = Allowance(bytesPerSecond: 1_000, at: 0)
    var time: UInt64 = 0
    var sent = 0
    for _ in 0..<1_000 {
      time += allowance.wait(at: time)
      let granted = allowance.take(9_000, at: time)
      #expect(granted > 0)
      sent += granted
    }
    // The full rate is used, within one per cent.
    #expect(abs(Double(sent) / (Double(time) * 1e-9) / 1_000 - 1) < 0.01)
  }

  @Test func `a small request is allowed even if the rate limit does not permit a large one yet`() {
    var allowance = Allowance(bytesPerSecond: 100, at: 0)
    while allowance.take(1_000, at: 0) > 0 {}
    allowance.owe(-50)
    #expect(allowance.take(10, at: 0) == 10)
  }
}
