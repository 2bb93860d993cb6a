@testable import Positioning
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ReceiverWatchTests {
  static func at(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  static func fix(isThreeDimensional: Bool = true) -> PositionReport {
    .fix(
      Fix(
        arrival: at(0), utc: UTCTime(nanoseconds: 0), latitude: 0, longitude: 0,
        isThreeDimensional: isThreeDimensional))
  }

  /// Returns a watch for a port that was opened at second 0.
  static func opened() -> ReceiverWatch {
    var watch = ReceiverWatch(at: at(0))
    _ = watch.next(at: at(0))
    watch.opened(at: at(0))
    return watch
  }

  @Test
  func `a receiver's port is opened at once, and then after pauses of one, two and five seconds`() {
    var watch = ReceiverWatch(at: Self.at(0))
    var tries: [Double] = []
    for tenth in 0..<200 {
      let now = Self.at(Double(tenth) / 10)
      if watch.next(at: now) == .open {
        tries.append(Double(tenth) / 10)
        watch.lost(at: now)
      }
    }
    #expect(tries == [0, 1, 3, 8, 13, 18])
    #expect(watch.state == .unplugged)
  }

  @Test func `opening a port that sends no data does not reset the pauses between attempts`() {
    var watch = ReceiverWatch(at: Self.at(0))
    watch.opened(at: Self.at(0))
    watch.lost(at: Self.at(0))
    watch.opened(at: Self.at(1))
    watch.lost(at: Self.at(1))
    #expect(watch.wait(at: Self.at(1)) == 2)
    watch.opened(at: Self.at(3))
    watch.heard(at: Self.at(3), hasSentence: true)
    watch.lost(at: Self.at(4))
    #expect(watch.wait(at: Self.at(4)) == 1)
  }

  @Test func `a pause on the line causes the current epoch to be published once`() {
    var watch = Self.opened()
    watch.heard(at: Self.at(1), hasSentence: true)
    watch.heard(at: Self.at(1.15), hasSentence: true)
    #expect(watch.next(at: Self.at(1.3)) == nil)
    #expect(abs(watch.wait(at: Self.at(1.3)) - 0.05) < 1e-6)
    #expect(watch.next(at: Self.at(1.35)) == .flush)
    #expect(watch.next(at: Self.at(1.35)) == nil)
  }

  @Test
  func `after three seconds without a sentence, a line is considered silent and checked`() {
    var watch = Self.opened()
    watch.heard(at: Self.at(1), hasSentence: true)
    watch.reported(Self.fix(), at: Self.at(1))
    #expect(watch.next(at: Self.at(1.2)) == .flush)
    #expect(watch.next(at: Self.at(3.9)) == nil)
    #expect(watch.state == .stale)
    #expect(watch.next(at: Self.at(4)) == .checkName)
    #expect(watch.state == .lost)
    #expect(watch.next(at: Self.at(6.9)) == nil)
    #expect(watch.next(at: Self.at(7)) == .checkName)
    watch.heard(at: Self.at(8), hasSentence: true)
    #expect(watch.state == .searching)
  }

  @Test func `a line with noise but no sentence is also considered silent`() {
    var watch = Self.opened()
    for tenth in 1...40 {
      watch.heard(at: Self.at(Double(tenth) / 10), hasSentence: false)
      while watch.next(at: Self.at(Double(tenth) / 10)) != nil {}
    }
    #expect(watch.state == .lost)
  }

  @Test func `the state of the receiver follows its reports`() {
    var watch = Self.opened()
    #expect(watch.state == .searching)
    watch.reported(.noFix(arrival: Self.at(0)), at: Self.at(0))
    #expect(watch.state == .noFix)
    watch.reported(Self.fix(isThreeDimensional: false), at: Self.at(1))
    #expect(watch.state == .fix2D)
    watch.reported(Self.fix(), at: Self.at(2))
    #expect(watch.state == .fix3D)
    watch.lost(at: Self.at(3))
    #expect(watch.state == .unplugged)
  }

  @Test
  func `a receiver that sends sentences but no new position for ten seconds is without a fix`() {
    var watch = Self.opened()
    watch.reported(Self.fix(), at: Self.at(0))
    var states: [ReceiverState] = []
    for second in 1...10 {
      watch.heard(at: Self.at(Double(second)), hasSentence: true)
      while watch.next(at: Self.at(Double(second) + 0.5)) != nil {}
      if states.last != watch.state { states.append(watch.state) }
    }
    #expect(states == [.fix3D, .stale, .noFix])
  }

  @Test func `silence is not considered a loss during the search for the line speed`() {
    var watch = Self.opened()
    watch.isHunting = true
    #expect(watch.next(at: Self.at(3)) == .checkName)
    #expect(watch.state == .searching)
    watch.isHunting = false
    #expect(watch.next(at: Self.at(6)) == .checkName)
    #expect(watch.state == .lost)
  }

  @Test func `a slow receiver loses its fix after two of its cycles, and is lost after three`() {
    var watch = Self.opened()
    for second in [0.0, 5, 10] {
      watch.heard(at: Self.at(second), hasSentence: true)
      watch.reported(Self.fix(), at: Self.at(second))
      watch.heard(at: Self.at(second), hasSentence: true)
    }
    func state(at second: Double) -> ReceiverState {
      while watch.next(at: Self.at(second)) != nil {}
      return watch.state
    }
    #expect(state(at: 19.9) == .fix3D)
    #expect(state(at: 20) == .noFix)
    #expect(state(at: 24.9) == .noFix)
    #expect(state(at: 25) == .lost)
  }
}
