import DBus
import LinuxSystem
import TestSupport

/// The signals that a client has received, in order, and the tasks that wait for a signal.
///
/// The list is read only under the lock. A copy would share memory with the list, and race checkers
/// cannot track this.
final class SignalLog: Sendable {
  private struct Waiter {
    var matches: @Sendable (BusSignal) -> Bool
    var reply: Reply<BusSignal?>
  }

  private struct State {
    var signals: [BusSignal] = []
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
    var marks = 0
  }

  private let state = Guarded(State())

  /// The number of signals received so far.
  var count: Int { state.withLock { $0.signals.count } }

  /// Returns a bus name that no test has requested yet.
  func nextMark() -> String {
    let mark = state.withLock { state in
      state.marks += 1
      return state.marks
    }
    return "org.example.Mark.number\(ObjectIdentifier(self).hashValue.magnitude).at\(mark)"
  }

  func add(_ signal: BusSignal) {
    let woken = state.withLock { state in
      state.signals.append(signal)
      let matching = state.waiters.filter { $0.value.matches(signal) }
      for number in matching.keys { state.waiters[number] = nil }
      return matching.values.map(\.reply)
    }
    for reply in woken { reply.give(signal) }
  }

  /// Returns the non-`nil` results of `transform` for the signals between two positions.
  func map<Result: Sendable>(
    from start: Int, to end: Int = .max, _ transform: (BusSignal) -> Result?
  ) -> [Result] {
    state.withLock { state in
      state.signals[start..<min(end, state.signals.count)].compactMap(transform)
    }
  }

  /// Returns the first matching signal after the first `count` signals, whether it arrives before
  /// or during this call. Returns `nil` after the timeout.
  func first(
    behind count: Int, within seconds: Double,
    where matches: @escaping @Sendable (BusSignal) -> Bool
  ) async -> BusSignal? {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let expiry = Task { [weak self] in
      _ = await happens(within: seconds) { Task.isCancelled }
      self?.expire(number)
    }
    defer { expiry.cancel() }
    return await Reply<BusSignal?>.wait { reply in
      let found: BusSignal? = state.withLock { state in
        if let signal = state.signals.dropFirst(count).first(where: matches) { return signal }
        state.waiters[number] = Waiter(matches: matches, reply: reply)
        return nil
      }
      if let found { reply.give(found) }
    }
  }

  private func expire(_ number: Int) {
    state.withLock { $0.waiters.removeValue(forKey: number)?.reply }?.give(nil)
  }
}
