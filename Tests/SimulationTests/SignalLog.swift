import DBus

/// The signals that reached a client, in order, and those who wait for one of them.
actor SignalLog {
  private struct Waiter {
    var matches: @Sendable (BusSignal) -> Bool
    var continuation: CheckedContinuation<BusSignal?, Never>
  }

  private(set) var signals: [BusSignal] = []
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0
  private var marks = 0

  /// A bus name that nobody asked for yet.
  func nextMark() -> String {
    marks += 1
    return "org.example.Mark.number\(ObjectIdentifier(self).hashValue.magnitude).at\(marks)"
  }

  func add(_ signal: BusSignal) {
    signals.append(signal)
    for (number, waiter) in waiters where waiter.matches(signal) {
      waiters[number] = nil
      waiter.continuation.resume(returning: signal)
    }
  }

  /// The first signal behind so many that matches, which may have come already; `nil` when the time
  /// is over.
  func first(
    behind count: Int, within seconds: Double,
    where matches: @escaping @Sendable (BusSignal) -> Bool
  ) async -> BusSignal? {
    if let signal = signals.dropFirst(count).first(where: matches) { return signal }
    let number = nextWaiter
    nextWaiter += 1
    let expiry = Task { [weak self] in
      try? await Task.sleep(for: .seconds(seconds))
      await self?.expire(number)
    }
    defer { expiry.cancel() }
    return await withCheckedContinuation { continuation in
      waiters[number] = Waiter(matches: matches, continuation: continuation)
    }
  }

  private func expire(_ number: Int) {
    waiters.removeValue(forKey: number)?.continuation.resume(returning: nil)
  }
}
