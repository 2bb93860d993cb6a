internal import LinuxSystem

/// Checks that run beside each other, within a time that they have in common.
struct Examination: Sendable {
  /// One look at one thing.
  struct Part: Sendable {
    /// The finding if it does not answer in time.
    var silence: Finding
    /// Looks, and judges.
    var look: @Sendable () async -> [Finding]

    /// A look that waits for a bus or a network, and gives up when its task is cancelled.
    init(or silence: Finding, look: @escaping @Sendable () async -> [Finding]) {
      self.silence = silence
      self.look = look
    }

    /// A look on a thread of its own, which a disk or a name server may hold up for ever.
    static func onThread(
      or silence: Finding, look: @escaping @Sendable () -> [Finding]
    ) -> Part {
      Part(or: silence) { await Examination.onThread(look) ?? [silence] }
    }
  }

  /// Does something that may block, on a thread that nobody joins. `nil` if the system is out of
  /// threads.
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

  /// The checks.
  var parts: [Part]

  /// Runs all checks at once. A check that has not answered after `seconds` is a finding itself;
  /// nobody waits for it any longer.
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
