internal import LinuxSystem

/// Runs a program that receives notifications. Because the program runs in a separate process, its
/// processor time is measured apart from the sender's.
///
/// The program prints `ready` when it accepts packets, and `done` with the number of packets when
/// it has processed them.
final class ReceiverProcess {
  /// Seconds to wait for output that the program should print immediately.
  private static let patience = 60.0
  /// Seconds from the last packet until the program must print `done`. The recorder stores data
  /// once a second.
  private static let endSeconds = 5.0

  private let child: ChildProcess
  private let output: ChildOutputReader

  /// Starts a program and waits until it is ready. If `socket` is set, it becomes the program's
  /// standard input.
  init(_ program: String, _ arguments: [String], socket: Int32? = nil) throws {
    let output = try ChildOutput()
    var inherited: [(ours: Int32, theirs: Int32)] = [(output.writing.number, 1)]
    if let socket { inherited.append((socket, 0)) }
    child = try ChildProcess(program, arguments, inheriting: inherited)
    self.output = output.closeWriting()
    guard self.output.firstLine(seconds: Self.patience) == "ready" else {
      throw MeasurementError("\(program) did not become ready")
    }
  }

  deinit {
    child.kill()
  }

  func kill() {
    child.kill()
  }

  /// The program's processor time so far, in nanoseconds.
  var nanoseconds: Double { ProcessorClock.nanoseconds(ofRunning: child.id) }

  /// Sends the end mark repeatedly until the program is done. Returns the number of packets that
  /// the program received, or `nil` if it failed. The mark is repeated because a full socket would
  /// drop it like any other packet.
  func packets(tellEnd: () -> Void) -> Int? {
    for _ in 0..<Int(Self.patience / Self.endSeconds) {
      tellEnd()
      guard let line = output.firstLine(seconds: Self.endSeconds) else { continue }
      let words = line.split(separator: " ")
      guard words.count == 2, words[0] == "done" else { return nil }
      return Int(words[1])
    }
    return nil
  }

  /// Reads the line that the program prints after `done`.
  func remark() -> String? {
    output.firstLine(seconds: Self.patience)
  }
}
