public import LinuxSystem
internal import Values

/// Serves a `PacketLine` on descriptors: a thread that lets the boards live, follows the lines that
/// come in and writes what the boards do.
public final class PacketServer: Sendable {
  /// How often boards without a link are looked at, in seconds.
  private static let lookInterval = 0.05

  private let stopping = StopFlag()
  private let wake: WakeUp
  private let thread: NamedThread

  /// Begins to serve; `write` gets whole lines, and `ended` is called once when no more lines can
  /// come in or `write` failed.
  ///
  /// The world's time begins now, and so does that of the boards.
  public init(
    _ line: PacketLine, input: consuming OwnedDescriptor,
    write: @escaping @Sendable (String) throws -> Void, ended: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let wake = try WakeUp()
    let box = DescriptorBox(input)
    self.wake = wake
    thread = try NamedThread("boards") { [stopping] in
      defer { ended() }
      guard let input = box.take() else { return }
      var loop = PacketLoop(line)
      // A reader that went away is the end like any other.
      try? loop.run(input, wake, stopping, write: write)
    }
  }

  deinit {
    stop()
  }

  /// Ends the thread.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join()
  }

  /// The state of the thread.
  private struct PacketLoop {
    private var line: PacketLine
    private let start = BootClock.now()
    /// What has come of a line that is not complete.
    private var partial: [UInt8] = []

    init(_ line: PacketLine) {
      self.line = line
    }

    /// Seconds of the simulated world, which run with ours.
    private var now: Double { BootClock.now().seconds(since: start) }

    mutating func run(
      _ input: borrowing OwnedDescriptor, _ wake: WakeUp, _ stopping: StopFlag,
      write: (String) throws -> Void
    ) throws {
      var polls = PollSet()
      let incoming = polls.add(input.number)
      polls.add(wake.number)
      var buffer = [UInt8](repeating: 0, count: 4_096)
      var lines = [line.introduction]
      while !stopping.isRaised {
        line.advance(to: now, into: &lines)
        if !lines.isEmpty { try write(lines.joined(separator: "\n")) }
        lines.removeAll(keepingCapacity: true)
        let next = line.nextEvent ?? .infinity
        polls.wait(seconds: max(0, min(next - now, PacketServer.lookInterval)))
        guard polls.isReadable(incoming) || polls.isHungUp(incoming) else { continue }
        let count = input.read(into: &buffer)
        guard count > 0 else { return }
        for byte in buffer[..<count] {
          guard byte == UInt8(ascii: "\n") else {
            partial.append(byte)
            continue
          }
          line.receive(String(decoding: partial, as: UTF8.self), at: now, into: &lines)
          partial.removeAll(keepingCapacity: true)
        }
      }
    }
  }
}
