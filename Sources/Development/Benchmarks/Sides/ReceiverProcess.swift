internal import LinuxSystem

/// A program that receives notifications, in a process of its own so that its processor time can be
/// told from that of whoever sends them.
///
/// It writes `ready` when packets may come, and `done` with their number when it has dealt with
/// them.
final class ReceiverProcess {
  /// Seconds to wait for a word that has no reason to be late.
  private static let patience = 60.0
  /// Seconds from the end to being done: the recorder stores once a second.
  private static let endSeconds = 5.0

  private let child: ChildProcess
  private let output: ChildOutputReader

  /// Starts a program and waits until it is ready; its standard input is `socket`, if there is one.
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

  /// Ends it at once, whatever it is doing.
  func kill() {
    child.kill()
  }

  /// Processor time it has used so far, in nanoseconds.
  var nanoseconds: Double { ProcessorClock.nanoseconds(of: child.id) }

  /// Has it told the end until it is done, and returns how many packets it dealt with; `nil` if it
  /// failed. Where its socket is full the end is lost as any packet is.
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

  /// What it says after that.
  func remark() -> String? {
    output.firstLine(seconds: Self.patience)
  }
}
