import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct SignOfLifeTests {
  private func time(_ seconds: Int) -> BootTime {
    BootTime(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private func expect(
    _ life: inout SignOfLife, samples: UInt64, isLinked: Bool, at now: Int, works: Bool,
    place: SourceLocation = #_sourceLocation
  ) {
    let isAlive = life.works(samples: samples, isLinked: isLinked, at: time(now))
    #expect(isAlive == works, sourceLocation: place)
  }

  @Test func `the watchdog accepts a new sample as a sign of life, but not a link without samples`()
  {
    var life = SignOfLife()
    expect(&life, samples: 100, isLinked: true, at: 0, works: true)
    for second in 1...100 {
      expect(&life, samples: 100, isLinked: true, at: second, works: false)
    }
    expect(&life, samples: 101, isLinked: true, at: 101, works: true)
  }

  @Test
  func `a program is not considered hung if boards are out of range or nothing is recorded`() {
    var life = SignOfLife()
    expect(&life, samples: 0, isLinked: false, at: 0, works: true)
    expect(&life, samples: 100, isLinked: true, at: 1, works: true)
    for second in 2...10 {
      expect(&life, samples: 100, isLinked: false, at: second, works: false)
    }
    for second in 11...300 {
      expect(&life, samples: 100, isLinked: false, at: second, works: true)
    }
  }

  @Test
  func `the watchdog does not accept a reconnection without samples as a sign of life`() {
    var life = SignOfLife()
    expect(&life, samples: 100, isLinked: true, at: 0, works: true)
    for second in 1...100 {
      expect(&life, samples: 100, isLinked: second % 8 == 0, at: second, works: false)
    }
  }
}
