internal import SessionFolder
internal import UploadProtocol
public import LinuxSystem

/// A folder as a destination: a USB stick, a network share, or a disk that a person carries home.
/// The folder contains sessions as described in `docs/data-format.md`, and exports read them.
///
/// All file access is on its own thread, `folder`: a share that hangs blocks only that thread.
///
/// This stores chunks of a session, then its track and record:
///
///     let destination = try FolderDestination(path: path)
///     let verdicts = await destination.store(chunks, of: session)
///     let last = await destination.finish(session)
public final class FolderDestination: Destination {
  /// One call at a time: more would not make a disk faster. Many chunks share the sync of their
  /// folder.
  public let traits = DestinationTraits(chunksPerCall: 64, bytesPerCall: 1 << 20)

  private let mailbox: Mailbox<FolderThread.Job>

  /// The folder at this path, which need not exist yet.
  public init(path: String) throws(SystemError) {
    let mailbox = try Mailbox<FolderThread.Job>()
    // The mailbox ends the thread. Nothing waits for it, since the disk may block it for long.
    try NamedThread("folder") { FolderThread(path, mailbox) }.letGo()
    self.mailbox = mailbox
  }

  deinit {
    _ = mailbox.post(.end)
  }

  /// Writes chunks, syncs them to the disk, and reads them back before it returns.
  public func store(
    _ chunks: [OutgoingChunk], of session: any OutgoingSession
  ) async -> [Verdict] {
    let parts = chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) }
    return await ask { .chunks(parts, $0) }
  }

  /// Writes the track in pieces and then the record, so that a session with a record is complete.
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

  /// Tests whether the folder exists and can be written to.
  public func test() async -> Setback? {
    guard case .failed(let setback) = await ask({ .test($0) }).first else { return nil }
    return setback
  }

  private func ask(_ job: (Reply<[Verdict]>) -> FolderThread.Job) async -> [Verdict] {
    await Reply<[Verdict]>.wait { reply in
      // The mailbox stays open as long as this object exists.
      if !mailbox.post(job(reply)) { reply.give([.failed(FolderThread.closed)]) }
    }
  }
}
