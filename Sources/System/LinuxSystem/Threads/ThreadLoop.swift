/// The loop that a thread runs: it waits, does the work that is due, and waits again.
///
/// The loop can run on a kernel thread or on a simulated thread.
public protocol ThreadLoop: SendableMetatype, ~Copyable {
  /// Returns the seconds until the next round is due, unless an event occurs earlier. Returns
  /// infinity if no round is due, and `nil` after the last round.
  mutating func pause() -> Double?
  /// Waits for an event for at most `seconds`. Returns whether an event occurred.
  mutating func wait(seconds: Double) -> Bool
  /// Runs the work that is due.
  mutating func round()
  /// Cleans up after the last round.
  consuming func end()
}

extension ThreadLoop where Self: ~Copyable {
  /// Does nothing, because most loops have nothing to clean up.
  public consuming func end() {}

  consuming func run() {
    while let seconds = pause() {
      _ = wait(seconds: seconds)
      round()
    }
    end()
  }
}

// Safety: a simulated computer runs everything on one kernel thread.
/// A thread that runs on a simulated computer.
package class SimulatedThread: @unchecked Sendable {
  /// The thread's name in traces.
  package let name: String
  /// Whether an event may be waiting for the thread.
  package var mayBeReady = true

  fileprivate init(_ name: String) {
    self.name = name
  }

  /// Returns the seconds until the next round is due, unless an event occurs earlier. Returns `nil`
  /// after the last round.
  package func pause() -> Double? { nil }
  package func isReady() -> Bool { false }
  package func round() {}
}

final class LoopThread<Loop: ThreadLoop & ~Copyable>: SimulatedThread, @unchecked Sendable {
  private var loop: Loop?

  init(_ name: String, _ loop: consuming Loop?) {
    self.loop = loop
    super.init(name)
  }

  override func pause() -> Double? {
    if let seconds = loop?.pause() { return seconds }
    var last: Loop? = nil
    swap(&last, &loop)
    last?.end()
    return nil
  }

  override func isReady() -> Bool { loop?.wait(seconds: 0) ?? false }

  override func round() { loop?.round() }
}

/// A simulated thread that runs a body once. The body must not block.
final class BodyThread: SimulatedThread, @unchecked Sendable {
  private var body: (() -> Void)?

  init(_ name: String, _ body: @escaping () -> Void) {
    self.body = body
    super.init(name)
  }

  override func pause() -> Double? { body == nil ? nil : 0 }

  override func round() {
    let body = self.body
    self.body = nil
    body?()
  }
}
