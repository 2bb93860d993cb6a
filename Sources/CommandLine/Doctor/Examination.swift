internal import LinuxSystem

/// Runs checks concurrently within one time limit.
struct Examination: Sendable {
  /// A check that can run concurrently with others.
  struct Part: Sendable {
    /// The finding to report if the check times out.
    var silence: Finding
    var look: @Sendable () async -> [Finding]

    /// Creates a check that waits for a bus or a network, and stops when its task is cancelled.
    init(or silence: Finding, look: @escaping @Sendable () async -> [Finding]) {
      self.silence = silence
      self.look = look
    }

    /// Creates a check that runs on a separate thread, because a disk or a name server may block it
    /// forever.
    static func onThread(
      or silence: Finding, look: @escaping @Sendable () -> [Finding]
    ) -> Part {
      Part(or: silence) { await Examination.onThread(look) ?? [silence] }
    }
  }

  /// Runs a potentially blocking call on a detached thread. Returns `nil` if the system cannot
  /// create a thread.
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

  /// Runs all checks concurrently. A check that takes longer than `seconds` is abandoned, and its
  /// `silence` finding is reported.
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
