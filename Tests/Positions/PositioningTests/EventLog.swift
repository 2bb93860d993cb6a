import LinuxSystem
@testable import Positioning
import Recording
import TestSupport

/// The events of a position source, recorded for tests that wait for particular ones.
final class EventLog: Sendable {
  private let events = Guarded<[ReceiverEvent]>([])
  private let bell: WakeUp
  /// The number of recorded states that tests have already waited for.
  private let awaited = Guarded(0)

  init() throws {
    bell = try WakeUp()
  }

  var listener: ReceiverThread.Listener {
    { [self] event in
      events.withLock { $0.append(event) }
      bell.ring()
    }
  }

  var states: [ReceiverState] {
    told { if case .change(let change) = $0 { change.state } else { nil } }
  }

  var fixes: [Fix] {
    told { if case .report(.fix(let fix)) = $0 { fix } else { nil } }
  }

  var reports: [PositionReport] {
    told { if case .report(let report) = $0 { report } else { nil } }
  }

  var problems: [ReceiverProblem] {
    told { if case .change(let change) = $0 { change.problem } else { nil } }
  }

  /// Extracts parts of the events, in order, while holding the lock. Without the lock, race
  /// checkers would report a race between the release of a copy and the next event.
  private func told<Part: Sendable>(_ part: (ReceiverEvent) -> Part?) -> [Part] {
    events.withLock { $0.compactMap(part) }
  }

  /// Waits for a state after the one that the previous call waited for, even if other states follow
  /// at once. Returns whether such a state was reported.
  func waits(for state: ReceiverState, nudge: () -> Void = {}) -> Bool {
    waits(nudge: nudge) { log in
      let states = log.states
      return awaited.withLock { first in
        guard let place = states.dropFirst(first).firstIndex(of: state) else { return false }
        first = place + 1
        return true
      }
    }
  }

  /// Waits for a condition, calling `nudge` repeatedly. Returns whether it was met.
  func waits(
    seconds: Double = 60, every interval: Double = 0.02, nudge: () -> Void = {},
    until isReached: (EventLog) -> Bool
  ) -> Bool {
    var polls = PollSet()
    polls.add(bell.number)
    let end = GivenTime.now.advanced(bySeconds: seconds)
    while GivenTime.now < end {
      if isReached(self) { return true }
      nudge()
      polls.wait(seconds: interval)
      bell.clear()
    }
    return false
  }
}
