public import LinuxSystem
internal import Values

/// Serves a `PacketLine` over file descriptors. Its thread runs the boards, processes incoming
/// lines and writes the boards' reports.
public final class PacketServer: Sendable {
  /// Seconds between checks of boards without a link.
  private static let lookInterval = 0.05

  private let stopping = StopFlag()
  private let wake: WakeUp
  private let thread: NamedThread

  /// Starts serving. `write` receives complete lines. `ended` is called once, when the input ends,
  /// `write` fails or the server is stopped.
  ///
  /// The clock of the simulated world and its boards starts with this call.
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
      // If the reader has closed its end, the server stops, as at the end of the input.
      try? loop.run(input, wake, stopping, write: write)
    }
  }

  deinit {
    stop()
  }

  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join()
  }

  private struct PacketLoop {
    private var line: PacketLine
    private let start = BootClock.now()
    /// The part of an incomplete line that has been received so far.
    private var partial: [UInt8] = []

    init(_ line: PacketLine) {
      self.line = line
    }

    /// Seconds since the start of the simulated world, in real time.
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
