import Gateway
import TestSupport
import Testing
import Values

/// The schedule for pulling definitions.
@Suite(.computation) struct DefinitionsScheduleTests {
  private func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  @Test func `a pull is due if there are no definitions, or if they are older than a day`() {
    let schedule = DefinitionsSchedule()
    #expect(schedule.isDue(age: nil, at: time(0)))
    #expect(!schedule.isDue(age: 0, at: time(0)))
    #expect(!schedule.isDue(age: 86_400, at: time(0)))
    #expect(schedule.isDue(age: 86_401, at: time(0)))
    // The system clock is wrong now, or was wrong when the definitions were pulled.
    #expect(schedule.isDue(age: -1, at: time(0)))
  }

  @Test func `after a failure the next pull waits one minute, and the delay doubles up to an hour`()
  {
    var schedule = DefinitionsSchedule()
    var now = 0.0
    var rests: [Double] = []
    for _ in 0..<9 {
      schedule.failed(at: time(now))
      let rest = schedule.rest(at: time(now))
      #expect(!schedule.isDue(age: nil, at: time(now + rest - 0.1)))
      #expect(schedule.isDue(age: nil, at: time(now + rest)))
      rests.append(rest)
      now += rest
    }
    #expect(rests == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600])
    for _ in 0..<100 { schedule.failed(at: time(now)) }
    #expect(schedule.rest(at: time(now)) == 3_600)
    schedule.succeeded(at: time(now))
    schedule.failed(at: time(now))
    #expect(schedule.rest(at: time(now)) == 60)
  }

  @Test func `after a response the next pull is due a day later, even if the system clock changes`()
  {
    var schedule = DefinitionsSchedule()
    schedule.succeeded(at: time(100))
    for age in [nil, -1e9, 0, 1e9] {
      #expect(!schedule.isDue(age: age, at: time(86_000)))
    }
    #expect(schedule.isDue(age: nil, at: time(86_501)))
    #expect(!schedule.isDue(age: 3_600, at: time(86_501)))
  }
}
