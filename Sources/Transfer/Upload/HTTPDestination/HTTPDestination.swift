internal import Coding
public import HTTPClient
internal import UploadProtocol
internal import Recording

/// Uploads recordings to an endpoint of the upload protocol (`docs/upload-protocol.md`).
///
/// Chunks are sent in batches, or one by one if the endpoint does not accept batches. Unless a
/// response clearly confirms or rejects an item, the attempt is considered to have failed. The item
/// is then sent again, and its id prevents a duplicate.
public final class HTTPDestination: Destination {
  /// A batch is limited to 256 kB, which can be sent in a second at 2 Mbit/s. A failed batch can
  /// therefore be sent again quickly.
  public let traits: DestinationTraits

  private let sender: HTTPDestinationSender

  /// Creates a destination for the endpoint that has this base URL.
  ///
  /// - Parameters:
  ///   - settings: whether records and tracks are gzipped.
  ///   - url: the base URL, such as `https://lab.example/walks`, with or without a trailing slash.
  ///   - token: the file that contains the bearer token; read at the first request, and again when
  ///     the endpoint rejects the token.
  ///   - calls: the maximum number of requests in progress.
  public init(
    settings: DestinationSettings, url: String, exchange: any HTTPExchange, token: SecretFile?,
    calls: Int = 4
  ) {
    traits = DestinationTraits(chunksPerCall: 64, bytesPerCall: 256 << 10, calls: max(1, calls))
    sender = HTTPDestinationSender(
      url: url, exchange: exchange, token: token, compresses: settings.compresses)
  }

  /// Sends several chunks in one request if the endpoint accepts batches.
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

  /// Sends the track pieces and then the record, so that a session with a record is complete.
  public func finish(_ session: any OutgoingSession) async -> Verdict {
    let record: SessionRecord
    do {
      record = try await session.record()
      var track = TrackPieces(of: session, record)
      while let piece = try await track.next() {
        let verdict = await put(piece.encoded, at: .track(piece.session, first: piece.first))
        guard verdict == .stored else { return verdict }
      }
    } catch {
      return .failed(Setback(reading: error))
    }
    return await put(record.encoded, at: .session(record.session.id))
  }

  /// Tests whether an endpoint responds at the address and whether this gateway may upload.
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
    case .success(let response) where (200..<300).contains(response.status):
      let verdicts = HTTPDestinationReceipt.verdicts(on: chunks, response)
      if verdicts.contains(.stored) { sender.learn { $0.usesWords = true } }
      return verdicts
    case .success(let response): answer = response
    case .failure(let setback): return chunks.map { _ in .failed(setback) }
    }
    switch sender.meaning(of: answer) {
    case .notHere:
      let verdicts = await storeSingly(chunks)
      // If the endpoint stored chunks that were sent singly, the sender remembers that it does not
      // accept batches. A server that accepts neither batches nor single chunks is not an endpoint.
      if verdicts.contains(.stored) { sender.learn { $0.takesBatches = false } }
      return verdicts
    case .tooLarge:
      sender.learn { $0.largestBody = min($0.largestBody ?? .max, body.count * 3 / 4) }
      return await storeHalves(chunks, of: session)
    // A single chunk may have caused the failure. The queue decides whether to send the chunks one
    // by one.
    case .failed(let setback): return chunks.map { _ in .failed(setback) }
    case .altered(let words):
      let verdict = HTTPDestinationAnswer.altered(words).verdict(on: [])
      return chunks.map { _ in verdict }
    // The endpoint may reject only one of the chunks, so each chunk is sent separately.
    case .refused, .conflict, .notUnpacked, .success: return await storeSingly(chunks)
    }
  }

  private func storeHalves(
    _ chunks: [OutgoingChunk], of session: any OutgoingSession
  ) async -> [Verdict] {
    let middle = chunks.count / 2
    let first = await store(Array(chunks[..<middle]), of: session)
    if case .failed(let setback)? = first.last, !setback.isAboutItem {
      return first + chunks[middle...].map { _ in .failed(setback) }
    }
    return first + (await store(Array(chunks[middle...]), of: session))
  }

  /// Sends chunks one by one. Stops if the endpoint is unreachable or fails on several chunks in a
  /// row.
  private func storeSingly(_ chunks: [OutgoingChunk]) async -> [Verdict] {
    var verdicts: [Verdict] = []
    var faults = 0
    for chunk in chunks {
      let verdict = await put(chunk)
      verdicts.append(verdict)
      if verdict == .stored { faults = 0 }
      guard case .failed(let setback) = verdict else { continue }
      faults += 1
      if setback.isAboutItem, faults < FaultWatch.broken { continue }
      let rest = Verdict.failed(setback.ofDestination)
      verdicts += Array(repeating: rest, count: chunks.count - verdicts.count)
      break
    }
    return verdicts
  }

  // MARK: Single items

  private func put(_ chunk: OutgoingChunk) async -> Verdict {
    switch await put(chunk.bytes, at: .chunk(chunk.id), type: .chunk) {
    case .failure(let setback): return .failed(setback)
    case .success(var answer):
      if case .conflict(nil, let words) = answer {
        // The endpoint did not report the hash of the content that it has stored.
        switch await sender.heldHash(of: chunk.id) {
        case .success(let held): answer = .conflict(held: held, words)
        case .failure(let setback): return .failed(setback)
        }
      }
      if case .success(.replaced) = answer {
        return .failed(
          Setback(
            .unavailable,
            "the server reports that it replaced a chunk, but chunks must never change",
            remedy: "check that the address points to an endpoint"))
      }
      return answer.verdict(on: SHA256.hash(of: chunk.bytes))
    }
  }

  /// Sends a record or a track piece.
  private func put(_ text: [UInt8], at path: UploadPath) async -> Verdict {
    switch await put(text, at: path, type: .json) {
    case .failure(let setback): .failed(setback)
    case .success(let answer): answer.verdict(on: SHA256.hash(of: text))
    }
  }

  /// Sends one item. An empty response is treated as `held` only if the endpoint has answered the
  /// greeting and has never sent a body after storing an item.
  private func put(
    _ content: [UInt8], at path: UploadPath, type: HTTPDestinationSender.ContentType
  ) async -> Result<HTTPDestinationAnswer, Setback> {
    let answer = await sender.put(content, at: path, type: type)
    guard case .success(.success(.silent)) = answer, !sender.known.usesWords else { return answer }
    if sender.known.isEndpoint { return .success(.success(.held)) }
    if let setback = await sender.greet() { return .failure(setback) }
    // The first response may have come from a network that requires a login, and not from the
    // endpoint.
    let second = await sender.put(content, at: path, type: type)
    guard case .success(.success(.silent)) = second else { return second }
    return .success(.success(.held))
  }
}
