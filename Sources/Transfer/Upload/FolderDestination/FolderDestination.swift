internal import SessionFolder
internal import UploadProtocol
public import LinuxSystem

/// A folder as a destination: a stick, a network share, a disk that somebody carries home. It is a
/// folder of sessions as `docs/data-format.md` has it, from which they are exported.
///
/// Files work on a thread of its own named `folder`: a share that hangs holds up that thread and
/// nothing else.
public final class FolderDestination: Destination {
  /// One call at a time: a disk does not get faster by more. Many chunks share the sync of their
  /// folder.
  public let traits = DestinationTraits(chunksPerCall: 64, bytesPerCall: 1 << 20)

  private let mailbox: Mailbox<FolderThread.Job>

  /// The folder at this path, which need not be there now.
  public init(path: String) throws(SystemError) {
    let mailbox = try Mailbox<FolderThread.Job>()
    let thread = FolderThread(path)
    // Ended by the mailbox; nobody waits for it, since the disk may hold it for long.
    try NamedThread("folder") { thread.run(mailbox) }.letGo()
    self.mailbox = mailbox
  }

  deinit {
    _ = mailbox.post(.end)
  }

  /// Writes chunks; when it returns they are on the disk and were read back.
  public func store(
    _ chunks: [OutgoingChunk], of session: any OutgoingSession
  ) async -> [Verdict] {
    let parts = chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) }
    return await ask { .chunks(parts, $0) }
  }

  /// Writes the track in pieces and then the record, so that who has the record has all of it.
  public func finish(_ session: any OutgoingSession) async -> Verdict {
    do {
      let record = try await session.record()
      var track = TrackPieces(of: session, record)
      while let piece = try await track.next() {
        let verdict = await ask { .piece(piece, $0) }.first
        guard verdict == .stored else { return verdict ?? .failed(FolderThread.closed) }
      }
      return await ask { .record(record, $0) }.first ?? .failed(FolderThread.closed)
    } catch {
      return .failed(Setback(reading: error))
    }
  }

  /// Sees whether the folder is there and can be written to.
  public func test() async -> Setback? {
    guard case .failed(let setback) = await ask({ .test($0) }).first else { return nil }
    return setback
  }

  private func ask(_ job: (Reply<[Verdict]>) -> FolderThread.Job) async -> [Verdict] {
    await Reply<[Verdict]>.wait { reply in
      // Open for as long as this object is there, and so it is now.
      if !mailbox.post(job(reply)) { reply.give([.failed(FolderThread.closed)]) }
    }
  }
}
