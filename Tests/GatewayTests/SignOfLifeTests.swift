import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct SignOfLifeTests {
  private func time(_ seconds: Int) -> BootTime {
    BootTime(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private func expect(
    _ life: inout SignOfLife, samples: UInt64, sending: Int, at now: BootTime, works: Bool,
    place: SourceLocation = #_sourceLocation
  ) {
    let isAlive = life.works(samples: samples, sending: sending, at: now)
    #expect(isAlive == works, sourceLocation: place)
  }

  @Test func `linked boards without a sample for a minute are no sign of life`() {
    var life = SignOfLife()
    expect(&life, samples: 100, sending: 1, at: time(0), works: true)
    for second in 1...60 { expect(&life, samples: 100, sending: 1, at: time(second), works: true) }
    expect(&life, samples: 100, sending: 1, at: time(61), works: false)
    expect(&life, samples: 101, sending: 1, at: time(62), works: true)
  }

  @Test func `boards that are out of reach, or no recording, are no fault of the program`() {
    var life = SignOfLife()
    _ = life.works(samples: 100, sending: 1, at: time(0))
    for second in 1...300 {
      expect(&life, samples: 100, sending: 0, at: time(second), works: true)
    }
    // The silence is counted from the moment at which they should send again.
    expect(&life, samples: 100, sending: 1, at: time(301), works: true)
    expect(&life, samples: 100, sending: 1, at: time(350), works: true)
  }
}
