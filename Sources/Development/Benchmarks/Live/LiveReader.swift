internal import HTTPServer
internal import LinuxSystem
internal import Fleet
internal import Values

/// Reads a hub's events like the server's thread, and measures the age of each event.
final class LiveReader: Sendable {
  /// Statistics of the events read from the hub.
  struct Seen: Sendable {
    /// Seconds from sending a message to reading its event.
    var delays: [Double] = []
    /// Seconds from the time when a gateway became stale to the event that reported the gateway as
    /// stale.
    var staleDelays: [Double] = []
    /// The number of events that reported a gateway as stale too early.
    var early = 0
  }

  private let seen = Guarded(Seen())
  private let isStopped = Guarded(false)
  private let bell: WakeUp
  private let thread = Guarded<NamedThread?>(nil)

  init(_ stream: any ServerStream) throws {
    bell = try WakeUp()
    stream.begin { [bell] in bell.ring() }
    let thread = try NamedThread("reader") { [self] in read(stream) }
    self.thread.withLock { $0 = thread }
  }

  func begin() { seen.withLock { $0 = Seen() } }

  var present: Seen { seen.withLock { $0 } }

  func stop() {
    isStopped.withLock { $0 = true }
    bell.ring()
    thread.withLock { $0.take() }?.join()
  }

  private func read(_ stream: any ServerStream) {
    var polls = PollSet()
    polls.add(bell.number)
    var rest: [UInt8] = []
    while !isStopped.withLock({ $0 }) {
      polls.wait(seconds: 1)
      bell.clear()
      while let bytes = stream.next(upTo: 16 << 10), !bytes.isEmpty {
        let now = BootClock.systemTime()
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          take(rest[..<end], at: now)
          rest.removeFirst(end + 1)
        }
      }
    }
    stream.end()
  }

  private func take(_ line: ArraySlice<UInt8>, at now: UTCTime) {
    guard line.starts(with: Array("data: ".utf8)),
      let event = try? JSON(parsing: Array(line.dropFirst(6))), let status = event["status"]
    else { return }
    func age(_ name: String) -> Double? {
      status[name]?.text.flatMap { UTCTime(iso8601: $0) }.map {
        Double(now.nanoseconds - $0.nanoseconds) / 1e9
      }
    }
    seen.withLock { seen in
      if event["event"]?.text == "stale" {
        guard let age = age("expires") else { return }
        seen.staleDelays.append(age)
        if age < -0.05 { seen.early += 1 }
      } else if let age = age("sent") {
        seen.delays.append(age)
      }
    }
  }
}
