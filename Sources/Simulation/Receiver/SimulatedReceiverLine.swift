public import LinuxSystem
public import Values

/// A simulated receiver on a pseudo-terminal or a named pipe. A pseudo-terminal is opened by its
/// path, like a serial port.
///
/// The thread `sim-gps` writes one burst per second of UTC, starting immediately. If nothing reads
/// the line, bytes that do not fit are dropped, as on a real line.
public final class SimulatedReceiverLine: Sendable {
  /// The path that a reader opens.
  public let path: String
  private let stopping = StopFlag()
  private let wake: WakeUp
  private let thread: NamedThread

  /// Called with the UTC second of each burst, and with the position if there is one.
  public typealias Witness = @Sendable (UTCTime, WalkRoute.Point?) -> Void

  /// Switches on a receiver. If it has a baud rate, a reader at another baud rate receives noise.
  /// Otherwise, the reader's baud rate does not matter, as over USB.
  public convenience init(
    _ receiver: SimulatedReceiver = SimulatedReceiver(), speed: SerialSpeed? = nil
  ) throws(SystemError) {
    let terminal = try PseudoTerminal()
    let path = terminal.path
    try self.init(
      .terminal(terminal), path, receiver, speed, clock: { BootClock.systemTime() },
      witness: { _, _ in })
  }

  /// Switches on a receiver that takes the time from a clock and writes to the named pipe at a
  /// path.
  public convenience init(
    _ receiver: SimulatedReceiver, intoPipe path: String, clock: @escaping @Sendable () -> UTCTime,
    witness: @escaping Witness
  ) throws(SystemError) {
    let pipe = try OwnedDescriptor.openPipe(path)
    try self.init(.pipe(pipe), path, receiver, nil, clock: clock, witness: witness)
  }

  private init(
    _ line: consuming Line, _ path: String, _ receiver: SimulatedReceiver, _ speed: SerialSpeed?,
    clock: @escaping @Sendable () -> UTCTime, witness: @escaping Witness
  ) throws(SystemError) {
    self.path = path
    let wake = try WakeUp()
    self.wake = wake
    let stopping = self.stopping
    let handOver = HandOver(line)
    thread = try NamedThread("sim-gps") { () -> Loop? in
      guard let line = handOver.take() else { return nil }
      return Loop(receiver, at: speed, on: line, clock, witness, until: stopping, wake: wake)
    }
  }

  deinit {
    stop()
  }

  /// Unplugs the receiver: ends the thread and closes the line.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join()
  }

  /// The pseudo-terminal or pipe that receives the bursts.
  private enum Line: ~Copyable, Sendable {
    case terminal(PseudoTerminal)
    case pipe(OwnedDescriptor)
  }

  private struct Loop: ThreadLoop, ~Copyable {
    private var receiver: SimulatedReceiver
    private let speed: SerialSpeed?
    private let line: Line
    private let clock: @Sendable () -> UTCTime
    private let witness: Witness
    private let stopping: StopFlag
    private let wake: WakeUp
    private var noise = LineNoise()
    private var polls = PollSet()
    /// The second of the last burst, in nanoseconds.
    private var last: Int64?

    init(
      _ receiver: SimulatedReceiver, at speed: SerialSpeed?,
      on line: consuming Line, _ clock: @escaping @Sendable () -> UTCTime,
      _ witness: @escaping Witness, until stopping: StopFlag, wake: WakeUp
    ) {
      self.receiver = receiver
      self.speed = speed
      self.line = line
      self.clock = clock
      self.witness = witness
      self.stopping = stopping
      self.wake = wake
      polls.add(wake.number)
    }

    mutating func pause() -> Double? {
      guard !stopping.isRaised else { return nil }
      let now = clock().nanoseconds
      let second = now - now % 1_000_000_000
      if second != last {
        last = second
        speak(at: UTCTime(nanoseconds: second))
      }
      return Double(second + 1_000_000_000 - clock().nanoseconds) / 1e9
    }

    mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

    mutating func round() {}

    private mutating func speak(at second: UTCTime) {
      var burst = receiver.burst(at: second)
      witness(second, receiver.place)
      switch line {
      case .terminal(let terminal):
        if let speed, terminal.speed != speed { burst = noise.misread(burst) }
        if terminal.controller.write(burst) < burst.count { terminal.discardUnread() }
      case .pipe(let pipe): _ = pipe.write(burst)
      }
    }
  }
}
