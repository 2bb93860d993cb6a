public import LinuxSystem
internal import Values

/// A simulated receiver on a pseudo-terminal, which is opened by its path like a serial port.
///
/// The thread `sim-gps` writes one burst in every second of UTC, the first one at once. Without a
/// reader, bytes that do not fit are dropped, as on a real line.
public final class SimulatedReceiverLine: Sendable {
  /// The path to open.
  public let path: String
  private let stopping = StopFlag()
  private let wake: WakeUp
  private let thread: NamedThread

  /// Switches on a receiver with a line speed: a reader at another speed receives noise. Without a
  /// speed, a reader at any speed can read it, as over USB.
  public init(
    _ receiver: SimulatedReceiver = SimulatedReceiver(), speed: SerialSpeed? = nil
  ) throws(SystemError) {
    let terminal = try PseudoTerminal()
    path = terminal.path
    let wake = try WakeUp()
    self.wake = wake
    let stopping = self.stopping
    let handOver = HandOver(terminal)
    thread = try NamedThread("sim-gps") { () -> Loop? in
      guard let terminal = handOver.take() else { return nil }
      return Loop(receiver, at: speed, on: terminal, until: stopping, wake: wake)
    }
  }

  deinit {
    stop()
  }

  /// Unplugs the receiver: ends the thread and hangs up the line.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join()
  }

  /// The body of the thread.
  private struct Loop: ThreadLoop, ~Copyable {
    private var receiver: SimulatedReceiver
    private let speed: SerialSpeed?
    private let terminal: PseudoTerminal
    private let stopping: StopFlag
    private let wake: WakeUp
    private var noise = LineNoise()
    private var polls = PollSet()
    /// The second of the last burst, in nanoseconds.
    private var last: Int64?

    init(
      _ receiver: SimulatedReceiver, at speed: SerialSpeed?,
      on terminal: consuming PseudoTerminal, until stopping: StopFlag, wake: WakeUp
    ) {
      self.receiver = receiver
      self.speed = speed
      self.terminal = terminal
      self.stopping = stopping
      self.wake = wake
      polls.add(wake.number)
    }

    mutating func pause() -> Double? {
      guard !stopping.isRaised else { return nil }
      let now = BootClock.systemTime().nanoseconds
      let second = now - now % 1_000_000_000
      if second != last {
        last = second
        speak(at: UTCTime(nanoseconds: second))
      }
      return Double(second + 1_000_000_000 - BootClock.systemTime().nanoseconds) / 1e9
    }

    mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

    mutating func round() {}

    private mutating func speak(at second: UTCTime) {
      var burst = receiver.burst(at: second)
      if let speed, terminal.speed != speed { burst = noise.misread(burst) }
      if terminal.controller.write(burst) < burst.count { terminal.discardUnread() }
    }
  }
}
