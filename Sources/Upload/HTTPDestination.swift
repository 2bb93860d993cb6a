internal import Cryptography
public import HTTPClient
internal import Interchange
internal import Recording

/// An endpoint of the upload protocol (`docs/upload-protocol.md`).
///
/// Chunks go in batches, or one by one to endpoints that take no batches, which is found out once. What an
/// answer does not clearly say is taken for not said, and sent again: under its id that is harmless.
public final class HTTPDestination: Destination {
  /// Batches of 256 kB: a second on a line of 2 Mbit/s, and no more than is quickly sent again.
  public let traits: DestinationTraits

  private let sender: HTTPDestinationSender

  /// The endpoint at this address, below which its paths are.
  ///
  /// - Parameters:
  ///   - settings: whether records and tracks are gzipped.
  ///   - url: as `https://lab.example/walks`, with or without a slash at its end.
  ///   - token: the file of the bearer token; read at the first request, and again when the endpoint does
  ///     not know us any more.
  ///   - calls: requests at a time.
  public init(
    settings: DestinationSettings, url: String, exchange: any HTTPExchange, token: SecretFile?,
    calls: Int = 4
  ) {
    traits = DestinationTraits(chunksPerCall: 64, bytesPerCall: 256 << 10, calls: max(1, calls))
    sender = HTTPDestinationSender(
      url: url, exchange: exchange, token: token, compresses: settings.compresses)
  }

  /// Sends chunks, together if they are several.
  public func store(
    _ chunks: [OutgoingChunk], of session: any OutgoingSession
  ) async -> [Verdict] {
    let known = sender.known
    guard chunks.count > 1, known.takesBatches else { return await storeSingly(chunks) }
    if let limit = known.largestBody, ChunkBatch.size(ofChunks: chunks.map(\.bytes.count)) > limit {
      return await storeHalves(chunks, of: session)
    }
    return await storeTogether(chunks, of: session)
  }

  /// Sends the track in pieces and then the record, so that who has the record has all of it.
  public func finish(_ session: any OutgoingSession) async -> Verdict {
    let record: SessionRecord
    do {
      record = try await session.record()
      for first in stride(from: 0, to: record.fixCount, by: TrackPiece.capacity) {
        let count = min(TrackPiece.capacity, record.fixCount - first)
        let piece = TrackPiece(
          session: record.session.id, first: first,
          fixes: try await session.fixes(from: first, limit: count))
        let verdict = await put(piece.encoded, .track(record.session.id, first: first))
        guard verdict == .stored else { return verdict }
      }
    } catch {
      return .failed(Setback(.faulty, "the session cannot be read here: \(error)"))
    }
    return await put(record.encoded, .session(record.session.id))
  }

  /// Asks the endpoint whether it is one, and whether we may send.
  public func test() async -> Setback? {
    await sender.greet()
  }

  // MARK: Chunks

  private func storeTogether(
    _ chunks: [OutgoingChunk], of session: any OutgoingSession
  ) async -> [Verdict] {
    let body = ChunkBatch.body(of: chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) })
    let answer: HTTPResponse
    switch await sender.send("POST", .chunks, body, type: .batch) {
    case .success(let response): answer = response
    case .failure(let setback): return chunks.map { _ in .failed(setback) }
    }
    switch sender.meaning(of: answer) {
    case .stored: return Self.verdicts(on: chunks, answer)
    case .notHere:
      let verdicts = await storeSingly(chunks)
      // Only an endpoint that takes single ones has no batches; others are no endpoints.
      if verdicts.contains(.stored) { sender.learn { $0.takesBatches = false } }
      return verdicts
    case .tooLarge:
      sender.learn { $0.largestBody = min($0.largestBody ?? .max, body.count * 3 / 4) }
      return await storeHalves(chunks, of: session)
    case .failed(let setback) where setback.kind != .faulty:
      return chunks.map { _ in .failed(setback) }
    case .altered(let words):
      let verdict = HTTPDestinationAnswer.altered(words).verdict(on: [])
      return chunks.map { _ in verdict }
    // One chunk of them may be what the endpoint does not want, or what it fails at: the others go on.
    case .failed, .refused, .conflict, .notUnpacked: return await storeSingly(chunks)
    }
  }

  private func storeHalves(
    _ chunks: [OutgoingChunk], of session: any OutgoingSession
  ) async -> [Verdict] {
    let middle = chunks.count / 2
    let first = await store(Array(chunks[..<middle]), of: session)
    let second = await store(Array(chunks[middle...]), of: session)
    return first + second
  }

  /// One by one, until the endpoint is not there any more.
  private func storeSingly(_ chunks: [OutgoingChunk]) async -> [Verdict] {
    var verdicts: [Verdict] = []
    for chunk in chunks {
      let verdict = await put(chunk)
      verdicts.append(verdict)
      if case .failed(let setback) = verdict, setback.kind != .faulty {
        verdicts += Array(repeating: verdict, count: chunks.count - verdicts.count)
        break
      }
    }
    return verdicts
  }

  private func put(_ chunk: OutgoingChunk) async -> Verdict {
    switch await sender.send("PUT", .chunk(chunk.id), chunk.bytes, type: .chunk) {
    case .failure(let setback): return .failed(setback)
    case .success(let response):
      let hash = SHA256.hash(of: chunk.bytes)
      var meaning = sender.meaning(of: response)
      if case .conflict(nil, let words) = meaning {
        // It did not say what it has.
        switch await sender.heldHash(of: chunk.id) {
        case .success(let held): meaning = .conflict(held: held, words)
        case .failure(let setback): return .failed(setback)
        }
      }
      return meaning.verdict(on: hash)
    }
  }

  /// A verdict on each chunk of a batch, as the answer has it.
  static func verdicts(on chunks: [OutgoingChunk], _ response: HTTPResponse) -> [Verdict] {
    let unclear = Verdict.failed(
      Setback(.unavailable, "the server's answer has no verdict on each chunk of a batch"))
    guard let list = (try? JSON(parsing: response.body))?["chunks"]?.list else {
      return chunks.map { _ in unclear }
    }
    var answers: [UniqueID: JSON] = [:]
    for answer in list {
      if let id = answer["id"]?.text.flatMap({ UniqueID($0) }) { answers[id] = answer }
    }
    return chunks.map { chunk in
      let answer = answers[chunk.id]
      let words = HTTPDestinationError.plain(answer?["reason"]?.text ?? "the server gave no reason")
      switch answer?["status"]?.text {
      case "stored", "held": return .stored
      case "conflict":
        let held = answer?["held"]?.text.flatMap(ContentDigest.sha256)
        return held == SHA256.hash(of: chunk.bytes) ? .stored : .refused(words)
      case "refused": return .refused(words)
      default: return unclear
      }
    }
  }

  // MARK: What belongs to a session

  private func put(_ text: [UInt8], _ path: UploadPath) async -> Verdict {
    switch await sender.send("PUT", path, text, type: .json) {
    case .failure(let setback): .failed(setback)
    case .success(let response):
      sender.meaning(of: response).verdict(on: SHA256.hash(of: text))
    }
  }
}
