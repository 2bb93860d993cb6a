import TestSupport
import Testing
import Values

@testable import Sharing

@Suite(.computation) struct BrokerCourseTests {
  private let start = BootTime(nanoseconds: 1_000_000_000_000)

  @Test func `all brokers are tried in turn without delay, and again after increasing delays`() {
    var course = BrokerCourse(hosts: 3, at: start, chance: 0.5)
    var now = start
    var rests: [Double] = []
    var tried: [Int] = []
    for attempt in 1...30 {
      tried.append(course.host)
      course.failed(at: now, chance: 1)
      let rest = course.due.seconds(since: now)
      if attempt % 3 == 0 { rests.append(rest) } else { #expect(rest == 0) }
      now = course.due
    }
    #expect(tried.prefix(6) == [1, 2, 0, 1, 2, 0])
    #expect(rests == [1, 2, 4, 8, 16, 30, 30, 30, 30, 30])
  }

  @Test
  func `a broker that repeatedly disconnects a client at once is retried after increasing delays`()
  {
    var course = BrokerCourse(hosts: 1, at: start, chance: 0)
    var now = start
    for _ in 1...6 {
      course.connected(at: now)
      now = now.advanced(bySeconds: 1)
      course.failed(at: now, chance: 1)
    }
    #expect(course.due.seconds(since: now) == 30)
  }

  @Test func `after a stable connection is lost, the next broker is tried within a second`() {
    var course = BrokerCourse(hosts: 3, at: start, chance: 0)
    for _ in 1...5 { course.failed(at: start, chance: 1) }
    let host = course.host
    course.connected(at: start)
    let now = start.advanced(bySeconds: 60)
    course.failed(at: now, chance: 0.25)
    #expect(course.host == (host + 1) % 3)
    #expect(course.due.seconds(since: now) == 0.25)
    // The random delay lets many clients reconnect at different times.
    course.failed(at: now, chance: 0)
    #expect(course.due == now)
  }
}
