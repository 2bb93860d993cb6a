import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct RecordingCourseTests {
  private func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  private func expect(
    _ course: inout RecordingCourse, wanted: Bool, at now: BootTime,
    _ expected: RecordingCourse.Action?, place: SourceLocation = #_sourceLocation
  ) {
    let action = course.next(wanted: wanted, at: now)
    #expect(action == expected, sourceLocation: place)
  }

  @Test func `a recording starts when it is wanted, and ends when it is no longer wanted`() {
    var course = RecordingCourse(longestSession: 3_600)
    expect(&course, wanted: false, at: time(0), nil)
    expect(&course, wanted: true, at: time(1), .begin)
    expect(&course, wanted: true, at: time(2), nil)
    expect(&course, wanted: false, at: time(3), .end)
    expect(&course, wanted: false, at: time(4), nil)
    course.ended(failed: false, at: time(5))
    #expect(course.state == .idle)
    #expect(course.restarts == 0)
  }

  @Test
  func `after consecutive failures of a recording, the delays increase to at most ten seconds`() {
    var course = RecordingCourse(longestSession: 3_600)
    var now = 0.0
    var rests: [Double] = []
    for _ in 0..<6 {
      expect(&course, wanted: true, at: time(now), .begin)
      course.ended(failed: true, at: time(now))
      let failed = now
      while course.next(wanted: true, at: time(now)) != .begin { now += 0.5 }
      rests.append(now - failed)
      // The recording that has just begun fails too, so each round adds two failures.
      course.ended(failed: true, at: time(now))
      now += 100
    }
    #expect(rests == [1, 5, 10, 10, 10, 10])
  }

  @Test func `a failure after a minute of recording counts as the first in a series`() {
    var course = RecordingCourse(longestSession: 3_600)
    var now = 0.0
    for _ in 0..<4 {
      expect(&course, wanted: true, at: time(now), .begin)
      course.ended(failed: true, at: time(now))
      now += 20
    }
    expect(&course, wanted: true, at: time(now), .begin)
    course.ended(failed: true, at: time(now + RecordingCourse.goodSeconds))
    #expect(course.failures == 1)
    #expect(course.restarts == 5)
  }

  @Test
  func `a session that reaches its maximum duration is closed, and the next one starts at once`() {
    var course = RecordingCourse(longestSession: 3_600)
    expect(&course, wanted: true, at: time(0), .begin)
    expect(&course, wanted: true, at: time(3_599), nil)
    expect(&course, wanted: true, at: time(3_600), .end)
    course.ended(failed: false, at: time(3_602))
    expect(&course, wanted: true, at: time(3_603), .begin)
    #expect(course.restarts == 0)
  }

  @Test
  func `the delay after a failure ends when no recording is wanted or the configuration changes`() {
    var course = RecordingCourse(longestSession: 3_600)
    expect(&course, wanted: true, at: time(0), .begin)
    course.ended(failed: true, at: time(0))
    var other = course
    other.reconfigure(longestSession: 60)
    #expect(other.state == .idle && other.failures == 0)
    expect(&course, wanted: false, at: time(0.5), nil)
    #expect(course.state == .idle)
    #expect(course.failures == 0)
  }
}
