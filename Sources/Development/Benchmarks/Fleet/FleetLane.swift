internal import Cryptography
internal import LinuxSystem
internal import UploadProtocol
internal import Values

/// A thread that plays a share of the gateways, one request after the other. It has a connection to
/// each receiver.
struct FleetLane {
  /// A gateway, its token and its only session.
  struct Gateway: Sendable {
    var id: UniqueID
    var token: String
    var session = UniqueID.random()
    var chunks = 0
  }

  /// A chunk to be sent.
  private struct Part {
    var id: UniqueID
    var bytes: [UInt8]
    var hash: [UInt8]
  }

  /// Chunks of a request, with the numbers of their entries in the ledger.
  private struct Delivery {
    var parts: [Part]
    var entries: Range<Int>
    var request: [UInt8]
  }

  /// What receivers say of a chunk.
  private enum Verdict: Equatable {
    case stored, held, conflict
  }

  /// The answer to a request, or its absence.
  private enum Outcome {
    case decided([Verdict])
    case again
    case fault(String)
  }

  /// Chunks of a request that has several; less than a segment of loopback, which would wait.
  private static let batch = 4
  /// Seconds after which a request is sent again, to the next receiver.
  private static let pause = 0.1
  /// Seconds after the end in which requests under way may still be answered.
  private static let grace = 60.0

  private let chunks: FleetChunks
  private let links: [FleetLink]
  private var gateways: [Gateway]
  private let start: BootTime
  private let end: BootTime
  private let stopping: StopFlag
  private var generator = SplitMix64(seed: .random(in: 0 ... .max))
  private var ledger = FleetLedger()

  init(
    _ gateways: [Gateway], _ chunks: FleetChunks, ports: [UInt16], from start: BootTime,
    to end: BootTime, _ stopping: StopFlag
  ) {
    self.gateways = gateways
    self.chunks = chunks
    links = ports.map { FleetLink(port: $0) }
    self.start = start
    self.end = end
    self.stopping = stopping
  }

  /// Sends until the end, at least once for the first of its gateways, and returns what was
  /// answered.
  mutating func run() -> FleetLedger {
    var turn = Int.random(in: 0..<gateways.count, using: &generator)
    repeat {
      let delivery = delivery(of: turn)
      let link = Int.random(in: 0..<links.count, using: &generator)
      // Of a hundred requests.
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<5: deliver([delivery, delivery], from: link)
      case 5..<10:
        deliver([delivery], from: link)
        deliver([delivery], from: link + 1)
      case 10:
        let other = conflict(with: delivery, of: turn)
        deliver([delivery], from: link)
        if ledger.entries[other.entries.lowerBound].acknowledged != nil {
          deliver([other], from: link + 1)
        }
      case 11: deliver([delivery, conflict(with: delivery, of: turn)], from: link)
      default: deliver([delivery], from: link)
      }
      turn = (turn + 1) % gateways.count
    } while BootClock.now() < end && !stopping.isRaised
    return ledger
  }

  // MARK: Requests

  /// The next chunk, or chunks, of a gateway.
  private mutating func delivery(of number: Int) -> Delivery {
    let count = Bool.random(using: &generator) ? 1 : Self.batch
    let gateway = gateways[number]
    let parts = (0..<count).map { index in
      let number = gateway.chunks + index
      return part(number, of: gateway, .random(), content: number)
    }
    gateways[number].chunks += count
    let first = ledger.entries.count
    ledger.entries += parts.map {
      FleetLedger.Entry(gateway: gateway.id, id: $0.id, sent: [$0.hash])
    }
    return Delivery(
      parts: parts, entries: first..<ledger.entries.count,
      request: Self.request(parts, token: gateway.token))
  }

  /// Other content under the id of the first chunk of a delivery.
  private mutating func conflict(with delivery: Delivery, of number: Int) -> Delivery {
    let gateway = gateways[number]
    let place = gateway.chunks - delivery.parts.count
    let part = part(place, of: gateway, delivery.parts[0].id, content: place + 2)
    let first = delivery.entries.lowerBound
    ledger.entries[first].sent.append(part.hash)
    return Delivery(
      parts: [part], entries: first..<first + 1,
      request: Self.request([part], token: gateway.token))
  }

  private func part(
    _ number: Int, of gateway: Gateway, _ id: UniqueID, content: Int
  ) -> Part {
    let bytes = chunks.chunk(number, id: id, session: gateway.session, content: content)
    return Part(id: id, bytes: bytes, hash: SHA256.hash(of: bytes))
  }

  private static func request(_ parts: [Part], token: String) -> [UInt8] {
    let isSingle = parts.count == 1
    let body =
      isSingle
      ? parts[0].bytes
      : ChunkBatch.body(of: parts.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) })
    let hash = isSingle ? parts[0].hash : SHA256.hash(of: body)
    let target = isSingle ? "PUT \(UploadPath.chunk(parts[0].id).text)" : "POST /v1/chunks"
    let head = """
      \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r
      Content-Digest: \(ContentDigest.text(hash))\r\nContent-Length: \(body.count)\r\n\r\n
      """
    return Array(head.utf8) + body
  }

  // MARK: Answers

  /// Sends deliveries at the same moment, to one receiver each, and again until all are decided.
  private mutating func deliver(_ deliveries: [Delivery], from first: Int) {
    // Two deliveries to one receiver go one after the other.
    if deliveries.count > links.count {
      for delivery in deliveries { deliver([delivery], from: first) }
      return
    }
    var waiting = deliveries
    var link = first
    let limit = end.advanced(bySeconds: Self.grace)
    while !waiting.isEmpty {
      let sent = BootClock.now()
      let used = waiting.indices.map { links[(link + $0) % links.count] }
      let isTaken = zip(used, waiting).map { $0.send($1.request) }
      let outcomes = waiting.indices.map { index -> Outcome in
        guard isTaken[index], let answer = used[index].answer() else { return .again }
        ledger.answers.append(BootClock.now().seconds(since: sent))
        return Self.outcome(answer, of: waiting[index])
      }
      var rest: [Delivery] = []
      for (delivery, outcome) in zip(waiting, outcomes) {
        switch outcome {
        case .decided(let verdicts): note(verdicts, on: delivery)
        case .fault(let text): ledger.faults.append(text)
        case .again: rest.append(delivery)
        }
      }
      waiting = rest
      if waiting.isEmpty { return }
      guard !stopping.isRaised, BootClock.now() < limit else {
        ledger.undecided += waiting.count
        return
      }
      ledger.repeated += waiting.count
      link += 1
      var polls = PollSet()
      polls.wait(seconds: Self.pause)
    }
  }

  private static func outcome(_ answer: FleetLink.Answer, of delivery: Delivery) -> Outcome {
    if answer.status >= 500 { return .again }
    let text = String(decoding: answer.body, as: UTF8.self)
    let fault = Outcome.fault("an answer \(answer.status): \(text.prefix(300))")
    guard let json = try? JSON(parsing: answer.body) else { return fault }
    let words: [JSON?]
    switch (answer.status, json["chunks"]) {
    case (409, _): words = [json["error"]?["code"]]
    case (200, .list(let chunks)?): words = chunks.map { $0["status"] }
    case (200, _), (201, _): words = [json["status"]]
    default: return fault
    }
    let verdicts = words.compactMap { word -> Verdict? in
      switch word?.text {
      case "stored": .stored
      case "held": .held
      case "conflict": .conflict
      default: nil
      }
    }
    return verdicts.count == delivery.parts.count ? .decided(verdicts) : fault
  }

  /// Notes verdicts on chunks. Of two contents under one id, whichever was first is acknowledged.
  private mutating func note(_ verdicts: [Verdict], on delivery: Delivery) {
    let now = BootClock.now().seconds(since: start)
    for (index, verdict) in verdicts.enumerated() {
      let part = delivery.parts[index]
      var entry = ledger.entries[delivery.entries.lowerBound + index]
      entry.decided += 1
      if verdict == .stored { entry.stored += 1 }
      if verdict == .conflict {
        entry.conflicts += 1
        if entry.sent.count == 1 || entry.acknowledged == part.hash {
          ledger.faults.append("a conflict was made up, with \(part.id)")
        }
      } else if entry.acknowledged == nil {
        entry.acknowledged = part.hash
        ledger.times.append(now)
        ledger.bytes += part.bytes.count
      } else if entry.acknowledged != part.hash {
        ledger.faults.append("two contents were acknowledged under \(part.id)")
      }
      ledger.entries[delivery.entries.lowerBound + index] = entry
    }
  }
}
