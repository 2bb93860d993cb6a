internal import LinuxSystem
internal import Terminal

/// A capture that `inspect` reads: a file, a pipe or standard input.
struct CaptureInput {
  /// Its name as typed; `nil` for standard input.
  var file: String?
  /// Rung to stop before the end.
  var stop: WakeUp

  /// Opens the file; without a name or with `-`, standard input.
  static func open(_ file: String?) throws -> OwnedDescriptor {
    guard let file, file != "-" else { return try .standardInput() }
    do {
      return try .open(file, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    } catch {
      throw unreadable(file, error)
    }
  }

  /// Passes the bytes on as they arrive, until the end or until the bell rings.
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
      remedy: "name a file with a capture, or leave FILE out to read standard input")
  }
}
