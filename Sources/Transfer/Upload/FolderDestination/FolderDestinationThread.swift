internal import SessionFolder
internal import Glibc
internal import UploadProtocol
internal import LinuxSystem
internal import Recording
internal import Values

/// The loop of a folder destination's thread. Runs one job after another until a job ends the loop.
struct FolderThread: ThreadLoop, ~Copyable {
  /// A call to the destination, together with the caller that is waiting for its result.
  enum Job: Sendable {
    case chunks([ChunkBatch.Part], Reply<[Verdict]>)
    case piece(TrackPiece, Reply<[Verdict]>)
    case record(SessionRecord, Reply<[Verdict]>)
    case test(Reply<[Verdict]>)
    case end
  }

  static let closed = Setback(.unavailable, "the folder is no longer in use")

  private let path: String
  private let mailbox: Mailbox<Job>
  private var polls = PollSet()
  private var writer: FolderWriter?
  private var isOver = false

  init(_ path: String, _ mailbox: Mailbox<Job>) {
    self.path = path
    self.mailbox = mailbox
    polls.add(mailbox.bell.number)
  }

  func pause() -> Double? { isOver ? nil : .infinity }

  mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

  mutating func round() {
    for job in mailbox.takeAll() {
      if case .end = job {
        _ = mailbox.shut()
        isOver = true
        return
      }
      carryOut(job)
    }
  }

  private mutating func carryOut(_ job: Job) {
    switch job {
    case .chunks(let chunks, let reply):
      let (verdicts, setback) = attempt { writer throws(StoreError) in
        try writer.store(chunks).map(Self.verdict)
      }
      reply.give(setback.map { setback in chunks.map { _ in .failed(setback) } } ?? verdicts)
    case .piece(let piece, let reply):
      let (verdicts, setback) = attempt { writer throws(StoreError) in
        [Self.verdict(try writer.store(piece))]
      }
      reply.give(setback.map { [.failed($0)] } ?? verdicts)
    case .record(let record, let reply):
      let (verdicts, setback) = attempt { writer throws(StoreError) in
        [Self.verdict(try writer.store(record))]
      }
      reply.give(setback.map { [.failed($0)] } ?? verdicts)
    case .test(let reply):
      // The open writer is discarded, so that a new writer checks the folder again.
      writer = nil
      let (_, setback) = attempt { _ in [] }
      reply.give(setback.map { [.failed($0)] } ?? [.stored])
    case .end: break
    }
  }

  /// Performs a write in the folder. If the write fails with `cannotOpen`, opens the folder again
  /// and retries once, because the old writer may belong to a USB stick that was mounted at this
  /// path earlier.
  private mutating func attempt(
    _ body: (inout FolderWriter) throws(StoreError) -> [Verdict]
  ) -> ([Verdict], Setback?) {
    if let setback = hindrance() {
      writer = nil
      return ([], setback)
    }
    do throws(StoreError) {
      if var known = writer.take() {
        do throws(StoreError) {
          let verdicts = try body(&known)
          writer = consume known
          return (verdicts, nil)
        } catch {
          guard error.kind == .cannotOpen else { throw error }
        }
      }
      var fresh = try FolderWriter(folder: path)
      let verdicts = try body(&fresh)
      writer = consume fresh
      return (verdicts, nil)
    } catch {
      return ([], setback(error))
    }
  }

  /// Returns the reason the folder is unavailable, or `nil` if it is available. Called before each
  /// write and after a failed one.
  private func hindrance() -> Setback? {
    let buffer = unsafe realpath(path, nil)
    guard let buffer = unsafe buffer else {
      let number = errno
      guard number == ENOENT || number == ENOTDIR || number == EIO || number == ESTALE else {
        return Setback(
          .rejected, "cannot open the folder \(path): \(SystemError("", number: number).reason)",
          remedy: "check that this user can enter the folder")
      }
      return missing
    }
    defer { unsafe free(buffer) }
    let real = unsafe String(cString: buffer)
    if let point = MountTable().missing(above: real) {
      return Setback(
        .unavailable, "nothing is mounted at \(point), where the folder \(path) should be",
        remedy: "plug in the disk and mount it: mount \(ShellText.quoted(point))")
    }
    return nil
  }

  private var missing: Setback {
    Setback(
      .unavailable, "the folder \(path) does not exist",
      remedy: "plug in its disk, mount it, or create the folder")
  }

  private func setback(_ error: StoreError) -> Setback {
    if let hindrance = hindrance() { return hindrance }
    let kind: Setback.Kind =
      switch error.kind {
      case .full, .busy, .locked, .other: .unavailable
      // The check above found the folder, but the folder is not writable.
      case .cannotOpen: .rejected
      case .damaged, .gone, .newerSchema, .notAStore, .unknown, .refused: .faulty
      }
    return Setback(kind, error.message, remedy: error.remedy)
  }

  private static func verdict(_ verdict: IntakeVerdict) -> Verdict {
    switch verdict {
    case .stored, .held, .replaced: .stored
    case .otherContent: .refused("the folder already contains another chunk with this id")
    case .refused(let words), .unfit(let words): .refused(words)
    }
  }
}
