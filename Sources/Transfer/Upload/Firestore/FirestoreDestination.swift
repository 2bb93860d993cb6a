internal import ChunkFormat
public import HTTPClient
internal import LinuxSystem
internal import Recording
internal import Values

/// A Firestore database as a destination.
///
/// Every attempt to send the same data uses the same document name. If a document with that name
/// already exists, a later attempt finds it and compares it with the new one.
///
/// `exchange` is usually an `HTTPClient`. This example tests a destination in an emulator:
///
///     let place = FirestorePlace(project: "demo", layout: .compact, gateway: "pi-1")
///     let destination = FirestoreDestination(
///       place, credentials: .none, over: exchange,
///       environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:8080"])
///     let setback = await destination.test()
public final class FirestoreDestination: Destination {
  public let traits: DestinationTraits

  private let kind: DestinationSettings.FirestoreLayout
  private let account: FirestoreAccount
  /// The session whose data was read last; `nil` if that data must be read again.
  private let latest = Guarded<DatedSession?>(nil)

  /// The maximum size of a commit in bytes, as counted by Firestore. A request can be at most 10
  /// MiB.
  private static let commitLimit = 3 << 20
  /// The maximum number of chunks per commit.
  private static let mostChunks = 8

  /// Creates a destination for a place, using these credentials to sign in.
  ///
  /// - Parameters:
  ///   - chunksPerCommit: at most 8. If `nil`, this is 8 for the compact layout, or else 1.
  ///   - pack: compresses bodies. Not called again once the server has rejected a compressed body
  ///     and accepted it uncompressed.
  ///   - environment: may name emulators, in `FIRESTORE_EMULATOR_HOST` and
  ///     `FIREBASE_AUTH_EMULATOR_HOST`.
  public init(
    _ place: FirestorePlace, credentials: DestinationSettings.Credentials,
    over exchange: any HTTPExchange,
    chunksPerCommit: Int? = nil, pack: FirestorePacking? = nil, environment: [String: String] = [:]
  ) {
    kind = place.layout
    let chunks = chunksPerCommit ?? (place.layout == .compact ? Self.mostChunks : 1)
    traits = DestinationTraits(
      chunksPerCall: min(Self.mostChunks, max(1, chunks)), bytesPerCall: Self.commitLimit / 2,
      needsDatedSession: place.layout != .compact)
    account = FirestoreAccount(
      place, credentials, over: exchange, pack: pack, environment: environment)
  }

  // MARK: Chunks

  public func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict] {
    let layout: FirestoreLayout
    do throws(FirestoreFailure) {
      layout = FirestoreLayout(kind: kind, user: try await account.user())
    } catch {
      return chunks.map { _ in error.verdict }
    }
    var verdicts = [Verdict?](repeating: nil, count: chunks.count)
    var batch: [(position: Int, document: FirestoreDocument)] = []
    var size = 0
    for (position, chunk) in chunks.enumerated() {
      switch await document(chunk, of: session, layout) {
      case .failure(let obstacle): verdicts[position] = obstacle.verdict
      case .success(let document):
        let more = Self.wireSize(document)
        if !batch.isEmpty, size + more > Self.commitLimit || batch.count == traits.chunksPerCall {
          await send(batch, &verdicts)
          (batch, size) = ([], 0)
        }
        batch.append((position, document))
        size += more
      }
    }
    await send(batch, &verdicts)
    return verdicts.map { $0 ?? .failed(Setback(.faulty, "the chunk was not sent")) }
  }

  /// Returns a document's encoded size in a request, in bytes. Maps of samples take a third more
  /// bytes in a request than in the database.
  private static func wireSize(_ document: FirestoreDocument) -> Int { document.size() / 8 * 11 }

  private struct Obstacle: Error {
    var verdict: Verdict
  }

  /// Returns the document that represents a chunk, or the reason the document cannot be created.
  private func document(
    _ outgoing: OutgoingChunk, of session: any OutgoingSession, _ layout: FirestoreLayout
  ) async -> Result<FirestoreDocument, Obstacle> {
    func refuse(_ words: String) -> Result<FirestoreDocument, Obstacle> {
      .failure(Obstacle(verdict: .refused(words)))
    }
    let chunk: Chunk
    do throws(ChunkError) {
      chunk = try Chunk(decoding: outgoing.bytes.span)
    } catch {
      return refuse("the chunk cannot be read: \(error)")
    }
    guard chunk.id == outgoing.id, chunk.session == outgoing.session else {
      return refuse("the chunk's id or session does not match")
    }
    let documents = ChunkDocument(layout: layout)
    let checksum = ChunkDocument.checksum(outgoing.bytes)
    let document: FirestoreDocument
    if layout.isResearchers, chunk.stream.isGyroscope {
      do {
        guard let samples = try await dated(session, outgoing.session).samples(of: chunk) else {
          forget()
          return .failure(
            Obstacle(
              verdict: .failed(
                Setback(
                  .wrongClock, "the session has no trusted time yet",
                  remedy: "wait until the clock is set; the session is then sent"))))
        }
        document = documents.written(chunk, samples, checksum: checksum)
      } catch {
        return .failure(
          Obstacle(verdict: .failed(Setback(reading: error))))
      }
    } else {
      document = documents.compact(chunk, bytes: outgoing.bytes, checksum: checksum)
    }
    if let obstacle = document.obstacle { return refuse(obstacle) }
    return .success(document)
  }

  private func dated(_ session: any OutgoingSession, _ id: UniqueID) async throws -> DatedSession {
    // Until a session has ended, more fixes may arrive before its next chunk, so the session's data
    // must be read again.
    if let latest = latest.withLock({ $0 }), latest.id == id, latest.hasEnded { return latest }
    let dated = try await DatedSession(session)
    latest.withLock { $0 = dated }
    return dated
  }

  private func forget() {
    latest.withLock { $0 = nil }
  }

  private func send(
    _ batch: [(position: Int, document: FirestoreDocument)], _ verdicts: inout [Verdict?]
  ) async {
    guard !batch.isEmpty else { return }
    do throws(FirestoreFailure) {
      try await account.access.commit(batch.map { FirestoreWrite(.create($0.document)) })
      for (position, _) in batch { verdicts[position] = .stored }
    } catch {
      if case .setback(let setback) = error {
        for (position, _) in batch { verdicts[position] = .failed(setback) }
      } else if batch.count == 1 {
        verdicts[batch[0].position] = await settle(batch[0].document, after: error)
      } else {
        // A single invalid document makes the whole commit fail, so each document is now sent
        // separately.
        for one in batch { await send([one], &verdicts) }
      }
    }
  }

  /// Returns the verdict on a document that the database rejected. The document may already exist,
  /// from an attempt whose response was lost.
  private func settle(_ document: FirestoreDocument, after failure: FirestoreFailure) async
    -> Verdict
  {
    switch failure {
    case .exists, .forbidden: break
    case .setback, .absent, .refused, .unauthenticated: return failure.verdict
    }
    let found: FirestoreDocument
    do throws(FirestoreFailure) {
      found = try await account.access.read(document.path, fields: ["checksum", "point_count"])
    } catch {
      switch error {
      case .setback: return error.verdict
      // The document does not exist or belongs to another user, so the rules forbid the write
      // itself.
      case .absent, .forbidden, .exists, .refused, .unauthenticated:
        return failure == .exists ? .failed(error.setback) : failure.verdict
      }
    }
    let names = ["checksum", "point_count"]
    if names.allSatisfy({ found.fields[$0] == document.fields[$0] }) { return .stored }
    return .refused(
      "a chunk with this id already exists with different content: its checksum is "
        + "\(found.fields["checksum"]?.text ?? "unknown") and not "
        + "\(document.fields["checksum"]?.text ?? "")")
  }

  // MARK: Sessions

  public func finish(_ session: any OutgoingSession) async -> Verdict {
    forget()
    let commits = account.access.commitCount
    do {
      let record = try await session.record()
      let layout = FirestoreLayout(kind: kind, user: try await account.user())
      let access = account.access
      if layout.isResearchers {
        if let obstacle = try await ResearchersUpload(access: access, layout: layout)
          .send(record, session)
        {
          return obstacle
        }
      } else if let words = try await CompactUpload(access: access, layout: layout)
        .send(record, session)
      {
        return .refused(words)
      }
      if let statistics = record.statistics,
        let start = ClockTable(record.clock).utc(at: record.session.start)
      {
        let hike = Hike(statistics, of: record.session.id, start: start)
        try await access.commit([FirestoreWrite(.replace(hike.document(in: layout)))])
      }
      return .stored
    } catch let failure as FirestoreFailure {
      // Earlier commits show that this user can write other documents, so either this document
      // belongs to another user, or the rules do not match the layout.
      if case .forbidden(let words) = failure, account.access.commitCount > commits {
        return .refused(words)
      }
      return failure.verdict
    } catch {
      return .failed(Setback(reading: error))
    }
  }

  /// Signs in and requests one of this user's records.
  public func test() async -> Setback? {
    do throws(FirestoreFailure) {
      let layout = FirestoreLayout(kind: kind, user: try await account.user())
      var query = layout.query(layout.isResearchers ? "records" : "sessions")
      query.limit = 1
      query.fields = ["user_id"]
      _ = try await account.access.query(query)
      return nil
    } catch {
      return error.setback.ofDestination
    }
  }
}
