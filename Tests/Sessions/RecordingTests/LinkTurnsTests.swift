import TestSupport
@testable import Recording
import Testing

/// The uncertainty that a link's connection events cause in packet times.
@Suite(.computation) struct LinkTurnsTests {
  /// Returns the connection events of a link, separated by these pauses in milliseconds.
  private func turns(_ pauses: [Double]) -> LinkTurns {
    var turns = LinkTurns()
    for index in 0..<128 { turns.note(pause: pauses[index % pauses.count] * 1e6) }
    return turns
  }

  @Test
  func
    `if packets are ready all over a connection interval, the least late is at most 1 ms late`()
  {
    let unknown = turns([7.5, 15]).uncertainty(packets: 2_000, period: 10.07e6, bin: 0.5e6)
    #expect(unknown <= 1e6)
  }

  @Test
  func
    `if packets are ready at few points of a connection interval, even the least late is late`()
  {
    #expect(turns([30]).uncertainty(packets: 2_000, period: 30e6, bin: 1e6) >= 29e6)
    #expect(turns([30]).uncertainty(packets: 2_000, period: 10e6, bin: 1e6) >= 9e6)
  }

  @Test func `pauses between packets rule out some of the possible connection intervals of a link`()
  {
    // 240 ms is a multiple of 7.5, 10, 12, 15 … ms; 232.5 ms is a multiple of 7.5 ms alone.
    #expect(turns([240]).uncertainty(packets: 500, period: 240e6, bin: 1e6) >= 59e6)
    #expect(turns([240, 232.5]).uncertainty(packets: 500, period: 240e6, bin: 1e6) <= 8e6)
  }

  @Test func `the timing of packets is uncertain if their period is not known exactly`() {
    let turns = turns([30])
    let isCertain = { (tilt: Double) in
      turns.isCertain(to: 2.5e6, packets: 1_000, period: 10.1e6, tilt: tilt, bin: 0.5e6)
    }
    #expect(isCertain(0))
    #expect(!isCertain(0.01))
  }
}
