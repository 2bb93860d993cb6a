internal import LinuxSystem

/// A program that receives notifications, in a separate process so that its processor time can be
/// distinguished from the sender's.
///
/// It writes `ready` when it accepts packets, and `done` with their number when it has handled
/// them.
final class ReceiverProcess {
  /// Seconds to wait for an answer that should come at once.
  private static let patience = 60.0
  /// Seconds from the end of the packets to `done`: the recorder stores once a second.
  private static let endSeconds = 5.0

  private let child: ChildProcess
  private let output: ChildOutputReader

  /// Starts a program and waits until it is ready. `socket`, if given, becomes its standard input.
  init(_ program: String, _ arguments: [String], socket: Int32? = nil) throws {
    let output = try ChildOutput()
    var inherited: [(ours: Int32, theirs: Int32)] = [(output.writing.number, 1)]
    if let socket { inherited.append((socket, 0)) }
    child = try ChildProcess(program, arguments, inheriting: inherited)
    self.output = output.closeWriting()
    guard self.output.firstLine(seconds: Self.patience) == "ready" else {
      throw MeasurementError("\(program) did not get ready")
    }
  }

  deinit {
    child.kill()
  }

  /// Kills the program at once.
  func kill() {
    child.kill()
  }

  /// Processor time used so far, in nanoseconds.
  var nanoseconds: Double { ProcessorClock.nanoseconds(ofRunning: child.id) }

  /// Sends the end until the program is done, and returns the number of its packets; `nil` if it
  /// failed. The end is repeated because a full socket may drop it like any packet.
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

  /// The program's line after `done`.
  func remark() -> String? {
    output.firstLine(seconds: Self.patience)
  }
}
