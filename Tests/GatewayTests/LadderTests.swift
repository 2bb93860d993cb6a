@testable import Gateway
import TestSupport
import Testing
import Values

/// The recovery steps for a failing device, and their times if the device is checked every second.
@Suite(.computation) struct LadderTests {
  /// A sequence of recovery steps and its clock. The steps taken so far are recorded with their
  /// times.
  private struct Play {
    var ladder = Ladder()
    var rungs: [Ladder.Rung] = [.power, .port]
    var now = 0.0
    var steps: [String] = []

    mutating func pass(_ seconds: Double, _ condition: Ladder.Condition) {
      let end = now + seconds
      while now < end {
        let time = BootTime(nanoseconds: 0).advanced(bySeconds: now)
        if let step = ladder.next(condition, rungs: rungs, at: time) {
          steps.append("\(step) \(Int(now))")
        }
        now += 1
      }
    }
  }

  @Test func `a failing adapter is power-cycled, then its port is reset, and then recovery pauses`()
  {
    var play = Play()
    play.pass(15, .sick)
    #expect(play.steps == [])
    play.pass(40, .sick)
    #expect(play.steps == ["power 15", "port 35"])
    #expect(!play.ladder.isExhausted)
    play.pass(1, .sick)
    #expect(play.ladder.isExhausted)
  }

  @Test
  func `the pauses between recovery attempts increase to an hour, and the attempts never stop`() {
    var play = Play()
    play.rungs = [.power]
    play.pass(20_000, .sick)
    // A recovery attempt consists of a step of 20 s and the pause after it.
    #expect(
      play.steps == [
        "power 15", "power 95", "power 415", "power 1335", "power 4955", "power 8575",
        "power 12195", "power 15815", "power 19435",
      ])
    #expect(play.ladder.isExhausted)
  }

  @Test
  func `samples end a recovery attempt, and after a minute of samples the next one needs no pause`()
  {
    var play = Play()
    play.pass(20, .sick)
    play.pass(59, .well)
    #expect(play.steps == ["power 15"])
    #expect(!play.ladder.isExhausted)
    var brief = play
    play.pass(10, .well)
    play.pass(20, .sick)
    #expect(play.steps == ["power 15", "power 104"])
    brief.steps = []
    brief.pass(30, .sick)
    #expect(brief.steps == ["power 94"])
  }

  @Test func `a device that fails again after each recovery step is reset less and less often`() {
    var play = Play()
    for _ in 1...60 {
      play.pass(30, .sick)
      play.pass(30, .well)
    }
    // Without pauses, sixty steps would fit into this hour.
    #expect(play.steps == ["power 15", "power 135", "power 495", "power 1455"])
  }

  @Test func `a recovery attempt is abandoned if no failure is detected for half a minute`() {
    var play = Play()
    play.pass(14, .sick)
    play.pass(29, .unclear)
    play.pass(2, .sick)
    #expect(play.steps == ["power 43"])
    play.pass(31, .unclear)
    play.pass(10, .sick)
    #expect(play.steps == ["power 43"])
    play.pass(10, .sick)
    #expect(play.steps == ["power 43", "power 91"])
  }

  @Test func `an unavailable recovery step does not delay the next one`() {
    var play = Play()
    play.pass(36, .sick)
    #expect(play.steps == ["power 15", "port 35"])
    play.ladder.skip(at: BootTime(nanoseconds: 0).advanced(bySeconds: play.now))
    play.pass(1, .sick)
    #expect(play.ladder.isExhausted)
  }

  @Test func `if no recovery step is available, nothing is done`() {
    var play = Play()
    play.rungs = []
    play.pass(10_000, .sick)
    #expect(play.steps == [])
    #expect(!play.ladder.isExhausted)
  }
}
