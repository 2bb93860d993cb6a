internal import LinuxSystem
internal import Values

/// A gateway's connection to a receiver, kept open until either side closes it. Except for `ask`,
/// no method blocks: the owner polls the descriptor.
final class FleetLink {
  struct Answer {
    var status: Int
    var body: [UInt8]
    /// The receiver's name, as reported by the proxy.
    var receiver: String?
    /// Seconds to wait before a retry, as specified in the response.
    var rest: Double?
    /// Whether the response is an HTML page, which no receiver sends.
    var isPage = false
  }

  enum Progress {
    case waiting
    case answered(Answer)
    /// The connection ended before the response arrived.
    case lost
  }

  private let port: UInt16
  private var connection: TCPConnection?
  private var isConnected = false
  private var unsent: [UInt8] = []
  private var received: [UInt8] = []
  private(set) var isBusy = false

  init(port: UInt16) {
    self.port = port
  }

  /// The descriptor to poll while a request is pending.
  var descriptor: Int32 { connection?.number ?? PollSet.nobody }
  var wantsWriting: Bool { !unsent.isEmpty }

  /// Starts a request. Opens a new connection if none exists or the receiver has closed the
  /// existing one.
  func begin(_ request: [UInt8], _ buffer: inout [UInt8]) {
    precondition(!isBusy, "a connection carries one request at a time")
    if let outcome = connection?.read(into: &buffer), !TCPConnection.isNothingYet(outcome) { end() }
    if connection == nil {
      connection = try? TCPConnection(host: "127.0.0.1", port: port)
      isConnected = false
    }
    isBusy = true
    unsent = request
    received = []
    if isConnected { _ = send() }
  }

  /// Advances the request until it would block.
  func progress(_ buffer: inout [UInt8]) -> Progress {
    if connection == nil { return lost() }
    if !isConnected {
      guard (try? connection?.finishConnecting()) != nil else { return lost() }
      isConnected = true
    }
    guard send() else { return lost() }
    while true {
      let count = connection?.read(into: &buffer) ?? 0
      if count > 0 {
        received += buffer[..<count]
        if let answer = takeAnswer() {
          isBusy = false
          return .answered(answer)
        }
      } else {
        return TCPConnection.isNothingYet(count) ? .waiting : lost()
      }
    }
  }

  /// Closes the connection and abandons its request.
  func end() {
    connection = nil
    isConnected = false
    isBusy = false
    unsent = []
  }

  private func lost() -> Progress {
    end()
    return .lost
  }

  private func send() -> Bool {
    while !unsent.isEmpty {
      let count = connection?.send(unsent) ?? 0
      if count == unsent.count {
        unsent = []
      } else if count > 0 {
        unsent.removeFirst(count)
      } else {
        return TCPConnection.isNothingYet(count)
      }
    }
    return true
  }

  private func takeAnswer() -> Answer? {
    let blank: [UInt8] = [13, 10, 13, 10]
    guard received.count >= blank.count,
      let end = (0...received.count - blank.count).first(where: {
        received[$0..<$0 + blank.count].elementsEqual(blank)
      })
    else { return nil }
    var answer = Answer(status: 0, body: [])
    var length = 0
    var closes = false
    let lines = String(decoding: received[..<end], as: UTF8.self).split { $0.isNewline }
    for line in lines.dropFirst() {
      let parts = line.lowercased().split(separator: ":", maxSplits: 1)
      guard let name = parts.first, let value = parts.dropFirst().first?.drop(while: { $0 == " " })
      else { continue }
      switch name {
      case "content-length": length = Int(value) ?? 0
      case "connection": closes = value == "close"
      case "retry-after": answer.rest = Double(value)
      case "content-type": answer.isPage = value.hasPrefix("text/html")
      case "footbridge-receiver": answer.receiver = String(value)
      default: break
      }
    }
    let whole = end + blank.count + length
    guard received.count >= whole else { return nil }
    answer.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    answer.body = Array(received[(whole - length)..<whole])
    received = []
    if closes { self.end() }
    return answer
  }
}

extension FleetLink {
  /// Sends a request and waits for the response. Returns `nil` if the connection is lost or the
  /// time limit has passed.
  func ask(_ request: [UInt8], seconds: Double = 20) -> Answer? {
    let limit = BootClock.now().advanced(bySeconds: seconds)
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    begin(request, &buffer)
    while true {
      let rest = limit.seconds(since: BootClock.now())
      var polls = PollSet()
      polls.add(descriptor, forWriting: wantsWriting)
      if descriptor != PollSet.nobody { polls.wait(seconds: max(0, rest)) }
      switch progress(&buffer) {
      case .answered(let answer): return answer
      case .lost: return nil
      case .waiting where rest <= 0:
        end()
        return nil
      case .waiting: break
      }
    }
  }
}
