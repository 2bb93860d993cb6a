/// The work of a thread as a value: it waits, does a round of due work, and waits again.
///
/// A thread of the kernel or a simulated one may drive it.
public protocol ThreadLoop: SendableMetatype, ~Copyable {
  /// Seconds after which the next round is due even without an event, infinite for none; `nil`
  /// after the last round.
  mutating func pause() -> Double?
  /// Waits for an event, at most this long. Returns whether there was one.
  mutating func wait(seconds: Double) -> Bool
  /// Does the work that is due.
  mutating func round()
  /// Clears up after the last round.
  consuming func end()
}

extension ThreadLoop where Self: ~Copyable {
  /// Most loops have nothing to clear up.
  public consuming func end() {}

  /// Drives the loop to its end.
  consuming func run() {
    while let seconds = pause() {
      _ = wait(seconds: seconds)
      round()
    }
    end()
  }
}

// Safety: a simulated computer runs everything in one thread of the kernel.
/// A thread of a simulated computer.
package class SimulatedThread: @unchecked Sendable {
  /// The name for traces.
  package let name: String
  /// Whether an event may wait for it.
  package var mayBeReady = true

  fileprivate init(_ name: String) {
    self.name = name
  }

  /// Seconds after which the next round is due even without an event; `nil` after the last round.
  package func pause() -> Double? { nil }
  /// Whether an event waits for it.
  package func isReady() -> Bool { false }
  /// Runs one round.
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

/// A simulated thread with a body that does not wait.
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
