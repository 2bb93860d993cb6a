internal import LinuxSystem
internal import Values

/// A lane's connection to a receiver, which is kept as long as both sides want.
final class FleetLink {
  /// Seconds until an answer counts as lost, some more than a receiver gives its database.
  private static let patience = 20.0

  /// An answer to a request.
  struct Answer {
    var status: Int
    var body: [UInt8]
  }

  private let port: UInt16
  private var connection: TCPConnection?
  private var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  init(port: UInt16) {
    self.port = port
  }

  /// Sends a request, on a new connection if there is none. Returns whether it was taken.
  func send(_ request: [UInt8]) -> Bool {
    let limit = BootClock.now().advanced(bySeconds: Self.patience)
    do {
      if connection == nil {
        let new = try TCPConnection(host: "127.0.0.1", port: port)
        var polls = PollSet()
        polls.add(new.number, forWriting: true)
        polls.wait(seconds: Self.patience)
        try new.finishConnecting()
        connection = consume new
        received = []
      }
    } catch {
      return close()
    }
    var rest = request
    while true {
      let count = connection?.send(rest) ?? 0
      if count == rest.count { return true }
      if count > 0 {
        rest.removeFirst(count)
      } else if !TCPConnection.isNothingYet(count) {
        return close()
      }
      guard wait(until: limit, forWriting: true) else { return close() }
    }
  }

  /// The answer to the oldest request; `nil` if the connection ended before it.
  func answer() -> Answer? {
    let limit = BootClock.now().advanced(bySeconds: Self.patience)
    while true {
      if let answer = takeAnswer() { return answer }
      guard wait(until: limit, forWriting: false) else { break }
      let count = connection?.read(into: &buffer) ?? 0
      if count > 0 {
        received += buffer[..<count]
      } else if !TCPConnection.isNothingYet(count) {
        break
      }
    }
    _ = close()
    return nil
  }

  private func close() -> Bool {
    connection = nil
    return false
  }

  private func wait(until limit: BootTime, forWriting: Bool) -> Bool {
    guard let number = connection?.number else { return false }
    var polls = PollSet()
    polls.add(number, forWriting: forWriting)
    return polls.wait(seconds: limit.seconds(since: BootClock.now()))
  }

  private func takeAnswer() -> Answer? {
    let blank: [UInt8] = [13, 10, 13, 10]
    guard received.count >= blank.count,
      let end = (0...received.count - blank.count).first(where: {
        received[$0..<$0 + blank.count].elementsEqual(blank)
      })
    else { return nil }
    var length = 0
    var closes = false
    let lines = String(decoding: received[..<end], as: UTF8.self).split { $0.isNewline }
    for line in lines.dropFirst() {
      let parts = line.lowercased().split(separator: ":", maxSplits: 1)
      guard let name = parts.first, let value = parts.dropFirst().first?.drop(while: { $0 == " " })
      else { continue }
      if name == "content-length" { length = Int(value) ?? 0 }
      if name == "connection" { closes = value == "close" }
    }
    let whole = end + blank.count + length
    guard received.count >= whole else { return nil }
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let answer = Answer(status: status, body: Array(received[(whole - length)..<whole]))
    received.removeFirst(whole)
    if closes { _ = close() }
    return answer
  }
}
