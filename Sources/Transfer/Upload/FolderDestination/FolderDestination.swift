internal import SessionFolder
internal import UploadProtocol
public import LinuxSystem

/// A folder as a destination: on a USB stick, on a network share, or on a disk that a person takes
/// home. Sessions are stored in the format described in `docs/data-format.md`, which exports can
/// read.
///
/// All files are accessed on a separate thread named `folder`, so a network share that hangs blocks
/// only that thread.
///
/// This example stores a session's chunks, and then its track and record:
///
///     let destination = try FolderDestination(path: path)
///     let verdicts = await destination.store(chunks, of: session)
///     let last = await destination.finish(session)
public final class FolderDestination: Destination {
  /// Calls do not run concurrently, because concurrent writes would not make a disk faster. One
  /// sync of the folder covers all chunks of a call.
  public let traits = DestinationTraits(chunksPerCall: 64, bytesPerCall: 1 << 20)

  private let mailbox: Mailbox<FolderThread.Job>

  /// The folder at `path` need not exist yet.
  public init(path: String) throws(SystemError) {
    let mailbox = try Mailbox<FolderThread.Job>()
    // A message in the mailbox makes the thread end. This object does not wait for that, because
    // the disk may block the thread for a long time.
    try NamedThread("folder") { FolderThread(path, mailbox) }.letGo()
    self.mailbox = mailbox
  }

  deinit {
    _ = mailbox.post(.end)
  }

  /// Writes chunks, syncs them to the disk, and reads them back before returning.
  public func store(
    _ chunks: [OutgoingChunk], of session: any OutgoingSession
  ) async -> [Verdict] {
    let parts = chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) }
    return await ask { .chunks(parts, $0) }
  }

  /// Writes the track pieces and then the record, so that a session with a record is complete.
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

  /// Tests whether the folder exists and is writable.
  public func test() async -> Setback? {
    guard case .failed(let setback) = await ask({ .test($0) }).first else { return nil }
    return setback
  }

  private func ask(_ job: (Reply<[Verdict]>) -> FolderThread.Job) async -> [Verdict] {
    await Reply<[Verdict]>.wait { reply in
      // The mailbox stays open until this object is destroyed, so this failure is not expected.
      if !mailbox.post(job(reply)) { reply.give([.failed(FolderThread.closed)]) }
    }
  }
}
