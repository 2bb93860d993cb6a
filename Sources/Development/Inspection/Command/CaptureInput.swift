internal import LinuxSystem
internal import Terminal

/// Reads `inspect`'s input: a file, a pipe or standard input.
struct CaptureInput {
  /// The file name as typed; `nil` for standard input.
  var file: String?
  /// Signals that reading must stop before the input ends.
  var stop: WakeUp

  /// Opens the file, or standard input if the name is missing or `-`.
  static func open(_ file: String?) throws -> OwnedDescriptor {
    guard let file, file != "-" else { return try .standardInput() }
    do {
      return try .open(file, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    } catch {
      throw unreadable(file, error)
    }
  }

  /// Passes the bytes to `take` as they arrive, until the input ends or a stop is requested.
  func read(_ input: borrowing OwnedDescriptor, _ take: (ArraySlice<UInt8>) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var polls = PollSet()
    let arrivals = polls.add(input.number)
    let bell = polls.add(stop.number)
    while true {
      polls.wait(seconds: nil)
      if polls.isReadable(bell) { return }
      guard polls.isReadable(arrivals) || polls.isHungUp(arrivals) else { continue }
      let count = input.read(into: &buffer)
      if count == 0 { return }
      guard count > 0 else {
        let error = SystemError("read", number: Int32(-count))
        // Another program that shares the terminal may have made it non-blocking.
        if error.isTemporary { continue }
        throw Self.unreadable(file, error)
      }
      try take(buffer[..<count])
    }
  }

  private static func unreadable(_ file: String?, _ error: SystemError) -> Complaint {
    Complaint(
      "cannot read \(file ?? "standard input"): \(error.reason)",
      remedy: "specify a file with a capture, or leave FILE out to read standard input")
  }
}
