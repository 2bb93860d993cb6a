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
    thread = try NamedThread("sim-gps") {
      guard let terminal = handOver.take() else { return }
      Self.speak(receiver, at: speed, on: terminal, until: stopping, wake: wake)
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

  private static func speak(
    _ receiver: SimulatedReceiver, at speed: SerialSpeed?, on terminal: borrowing PseudoTerminal,
    until stopping: StopFlag, wake: WakeUp
  ) {
    var receiver = receiver
    var noise = LineNoise()
    var polls = PollSet()
    polls.add(wake.number)
    var last: Int64?
    while !stopping.isRaised {
      let now = BootClock.systemTime().nanoseconds
      let second = now - now % 1_000_000_000
      if second != last {
        last = second
        var burst = receiver.burst(at: UTCTime(nanoseconds: second))
        if let speed, terminal.speed != speed { burst = noise.misread(burst) }
        if terminal.controller.write(burst) < burst.count { terminal.discardUnread() }
      }
      let rest = second + 1_000_000_000 - BootClock.systemTime().nanoseconds
      polls.wait(seconds: Double(rest) / 1e9)
    }
  }
}
