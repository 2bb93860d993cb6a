internal import LinuxSystem

/// Checks that run concurrently, within one time limit.
struct Examination: Sendable {
  /// One check of one thing.
  struct Part: Sendable {
    /// The finding if it times out.
    var silence: Finding
    var look: @Sendable () async -> [Finding]

    /// A check that waits for a bus or a network, and gives up when its task is cancelled.
    init(or silence: Finding, look: @escaping @Sendable () async -> [Finding]) {
      self.silence = silence
      self.look = look
    }

    /// A check on a thread of its own, which a disk or a name server may block for ever.
    static func onThread(
      or silence: Finding, look: @escaping @Sendable () -> [Finding]
    ) -> Part {
      Part(or: silence) { await Examination.onThread(look) ?? [silence] }
    }
  }

  /// Runs a call that may block, on a detached thread. `nil` if the system is out of threads.
  static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
    await Reply<Value?>.wait { reply in
      do throws(SystemError) {
        try NamedThread("doctor") { reply.give(body()) }.letGo()
      } catch {
        reply.give(nil)
      }
    }
  }

  private enum Event: Sendable {
    case found(Int, [Finding])
    case timeIsUp
  }

  var parts: [Part]

  /// Runs all checks at once. A check that does not answer within `seconds` yields its `silence`,
  /// and is abandoned.
  func findings(within seconds: Double) async -> [Finding] {
    let events = EventQueue<Event>()
    var tasks = parts.enumerated().map { place, part in
      Task { events.post(.found(place, await part.look())) }
    }
    tasks.append(
      Task {
        try? await Pause.seconds(seconds)
        if !Task.isCancelled { events.post(.timeIsUp) }
      })
    defer { for task in tasks { task.cancel() } }
    var answers: [Int: [Finding]] = [:]
    while answers.count < parts.count, let event = await events.next() {
      guard case .found(let place, let findings) = event else { break }
      answers[place] = findings
    }
    return parts.enumerated().flatMap { answers[$0.offset] ?? [$0.element.silence] }
  }
}
