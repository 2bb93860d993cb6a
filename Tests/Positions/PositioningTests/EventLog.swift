import LinuxSystem
@testable import Positioning
import Recording
import TestSupport

/// What a source told, kept for a test that waits for it.
final class EventLog: Sendable {
  private let events = Guarded<[ReceiverEvent]>([])
  private let bell: WakeUp
  /// How many states stand before those that are still waited for.
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

  /// The states, in order.
  var states: [ReceiverState] {
    told { if case .change(let change) = $0 { change.state } else { nil } }
  }

  /// The fixes, in order.
  var fixes: [Fix] {
    told { if case .report(.fix(let fix)) = $0 { fix } else { nil } }
  }

  /// The reports, in order.
  var reports: [PositionReport] {
    told { if case .report(let report) = $0 { report } else { nil } }
  }

  /// The problems that were told of, in order.
  var problems: [ReceiverProblem] {
    told { if case .change(let change) = $0 { change.problem } else { nil } }
  }

  /// What events tell, in order. Looked at behind the lock: a copy of the list that is let go of
  /// outside of it is taken for a race with the next event.
  private func told<Part: Sendable>(_ part: (ReceiverEvent) -> Part?) -> [Part] {
    events.withLock { $0.compactMap(part) }
  }

  /// Waits until a state is told behind the one that was waited for before, though others may
  /// follow it at once; whether it was.
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

  /// Waits for something to be told, doing something now and then; whether it was.
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
