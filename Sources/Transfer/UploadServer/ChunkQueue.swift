internal import ChunkFormat
internal import Coding
internal import HTTPServer
internal import LinuxSystem
internal import Recording
internal import UploadProtocol
internal import Values

/// Collects the chunks of waiting requests and stores them together, so that they share one sync to
/// disk.
struct ChunkQueue {
  typealias Job = IntakeThread.Job

  /// One request's chunks that are waiting to be stored.
  private struct Write {
    var job: Job
    /// The state of each chunk: its verdict, or its index among the waiting chunks if the verdict
    /// is not known yet.
    var parts: [(id: UniqueID, state: PartState)]

    /// The indices of this request's waiting chunks.
    var places: [Int] {
      parts.compactMap { part -> Int? in
        guard case .waiting(let place) = part.state else { return nil }
        return place
      }
    }

    /// Returns the verdicts on all chunks of the request. `known` returns the verdict on the
    /// waiting chunk with a given index.
    func verdicts(_ known: (Int) -> ChunkVerdict) -> [(id: UniqueID, verdict: ChunkVerdict)] {
      parts.map { part in
        switch part.state {
        case .settled(let verdict): (part.id, verdict)
        case .waiting(let place): (part.id, known(place))
        }
      }
    }
  }

  /// The result of checking one of a request's chunks.
  private enum Finding {
    case chunk(ReceivedChunk)
    case refused(ChunkVerdict)
  }

  private enum PartState {
    case settled(ChunkVerdict)
    case waiting(Int)
  }

  /// The maximum number of bytes to store together. If this number were larger, the first chunk
  /// would have to wait too long.
  private static let bytesTogether = 8 << 20
  /// The number of bytes of memory that a waiting chunk needs in addition to its content.
  private static let bytesBesides = 1_024
  /// The maximum number of values in a batch of several chunks, so that other requests do not wait
  /// long. A fix is counted as `numbersOfFix` values.
  private static let numbersTogether = 1 << 24
  private static let numbersOfFix = 20
  private let intake: any SharedIntake
  private let tally: IntakeTally
  private var writes: [Write] = []
  private var chunks: [ReceivedChunk] = []
  private var waitingIDs: Set<UniqueID> = []
  private var waitingBytes = 0

  init(_ intake: any SharedIntake, tally: IntakeTally) {
    self.intake = intake
    self.tally = tally
  }

  /// Checks a request's chunks and queues the acceptable ones.
  mutating func add(_ parts: [ChunkBatch.Part], of job: Job) throws(Refusal) {
    let findings = try findings(on: parts, from: job.caller)
    // The verdict on a chunk must be known before another chunk with the same id is checked.
    let isRepeating = Set(parts.lazy.map(\.id)).count < parts.count
    if isRepeating || parts.contains(where: { waitingIDs.contains($0.id) }) { flush() }
    guard !isRepeating else { return storeSingly(parts, findings, job: job) }
    var write = Write(job: job, parts: [])
    for (part, finding) in zip(parts, findings) { write.parts.append((part.id, line(up: finding))) }
    writes.append(write)
    if waitingBytes >= Self.bytesTogether { flush() }
  }

  /// Stores a batch in which an id occurs more than once. The chunks are stored one after another,
  /// each in its own write.
  private mutating func storeSingly(
    _ parts: [ChunkBatch.Part], _ findings: [Finding], job: Job
  ) {
    var verdicts: [(id: UniqueID, verdict: ChunkVerdict)] = []
    do throws(StoreError) {
      for (part, finding) in zip(parts, findings) {
        switch line(up: finding) {
        case .settled(let verdict): verdicts.append((part.id, verdict))
        case .waiting(let index):
          let waiting = takeWaiting()
          verdicts.append((part.id, try store(waiting)[index]))
        }
      }
      answer([(job, verdicts)])
    } catch {
      job.fail(error, tally)
    }
  }

  /// Decodes the chunks one by one, and keeps none of the samples in memory.
  private func findings(
    on parts: [ChunkBatch.Part], from sender: Caller
  ) throws(Refusal) -> [Finding] {
    var numbers = 0
    var findings: [Finding] = []
    for part in parts {
      let chunk: Chunk
      do {
        chunk = try Chunk(decoding: part.bytes.span)
      } catch {
        findings.append(.refused(.refused(code: "not-a-chunk", "this is not a chunk: \(error)")))
        continue
      }
      numbers += chunk.count * (chunk.columns.count + 2) + chunk.fixes.count * Self.numbersOfFix
      guard numbers <= Self.numbersTogether || parts.count == 1 else {
        throw Refusal(413, "too-large", "a batch cannot contain this many samples", counts: false)
      }
      guard chunk.id == part.id else {
        findings.append(
          .refused(
            .refused(code: "wrong-id", "this chunk has the id \(chunk.id), not \(part.id)")))
        continue
      }
      if let fault = IntakeBounds.fault(of: chunk) {
        findings.append(.refused(.refused(code: "not-a-chunk", "the chunk is invalid: \(fault)")))
        continue
      }
      findings.append(.chunk(ReceivedChunk(bytes: part.bytes, chunk: chunk, from: sender)))
    }
    return findings
  }

  /// Queues an acceptable chunk for storage. A rejected chunk receives its verdict at once.
  private mutating func line(up finding: Finding) -> PartState {
    switch finding {
    case .refused(let verdict): return .settled(verdict)
    case .chunk(let chunk):
      chunks.append(chunk)
      waitingIDs.insert(chunk.id)
      waitingBytes += chunk.bytes.count + Self.bytesBesides
      return .waiting(chunks.count - 1)
    }
  }

  /// Stores all waiting chunks and sends the responses to their requests.
  mutating func flush() {
    guard !writes.isEmpty else { return }
    let writes = self.writes
    self.writes = []
    let chunks = takeWaiting()
    do throws(StoreError) {
      let verdicts = try store(chunks)
      answer(writes.map { ($0.job, $0.verdicts { verdicts[$0] }) })
    } catch {
      for write in writes {
        // A request with chunks that cannot be stored must not affect other requests.
        if error.kind == .other, writes.count > 1 {
          store(write, of: chunks)
        } else {
          write.job.fail(error, tally)
        }
      }
    }
  }

  /// Stores the chunks that belong to one request, and sends the response. `chunks` contains all
  /// waiting chunks.
  private func store(_ write: Write, of chunks: [ReceivedChunk]) {
    let places = write.places
    do throws(StoreError) {
      let verdicts = try store(places.map { chunks[$0] })
      let known = Dictionary(uniqueKeysWithValues: zip(places, verdicts))
      answer([(write.job, write.verdicts { known[$0] ?? .held })])
    } catch {
      write.job.fail(error, tally)
    }
  }

  private mutating func takeWaiting() -> [ReceivedChunk] {
    defer {
      chunks = []
      waitingIDs = []
      waitingBytes = 0
    }
    return chunks
  }

  private func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [ChunkVerdict] {
    guard !chunks.isEmpty else { return [] }
    let outcomes = try intake.store(chunks)
    precondition(outcomes.count == chunks.count, "an intake returns one outcome for each chunk")
    var stored = 0
    var bytes = 0
    let mended = zip(chunks, outcomes).filter { $1 == .replaced }.map(\.0.id)
    for (chunk, outcome) in zip(chunks, outcomes) where outcome == .stored {
      stored += 1
      bytes += chunk.bytes.count
    }
    tally.count {
      $0.stored += stored
      $0.storedBytes += bytes
      $0.mended += mended.count
      $0.lastMended = mended.last ?? $0.lastMended
    }
    var verdicts: [ChunkVerdict] = []
    for (chunk, outcome) in zip(chunks, outcomes) {
      switch outcome {
      case .stored, .replaced: verdicts.append(.stored)
      case .held: verdicts.append(.held)
      case .refused(let reason): verdicts.append(.refused(code: "conflict", reason))
      case .unfit(let reason): verdicts.append(.refused(code: "not-a-chunk", reason))
      case .otherContent:
        verdicts.append(
          .conflict(held: try heldHash(of: chunk), sent: SHA256.hash(of: chunk.bytes)))
      }
    }
    return verdicts
  }

  private func heldHash(of chunk: ReceivedChunk) throws(StoreError) -> [UInt8] {
    if let hash = try intake.hash(ofChunk: chunk.id, of: chunk.sender) { return hash }
    return SHA256.hash(of: try intake.reading(of: chunk.sender).chunk(chunk.id) ?? [])
  }

  /// Sends the responses to several requests at once.
  private func answer(
    _ requests: [(job: Job, verdicts: [(id: UniqueID, verdict: ChunkVerdict)])]
  ) {
    tally.count { counts in
      for (_, verdict) in requests.lazy.flatMap(\.verdicts) {
        switch verdict {
        case .stored: break
        case .held: counts.held += 1
        case .conflict, .refused("conflict", _): counts.conflicts += 1
        case .refused: counts.refused += 1
        }
      }
    }
    PendingReply.give(
      requests.map { job, verdicts in
        if case .chunk = job.path, let verdict = verdicts.first?.verdict {
          (job.reply, UploadAnswer.chunk(verdict, to: job.head))
        } else {
          (job.reply, UploadAnswer.batch(verdicts, to: job.head))
        }
      })
  }
}
