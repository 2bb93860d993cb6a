internal import LinuxSystem
internal import Recording
internal import Storage

/// The thread that syncs the tail to the disk, and nothing else. A commit may take seconds, and a
/// power cut meanwhile would lose all samples since the last sync.
final class TailSyncer: Sendable {
  private enum Request: Sendable {
    case sync(TailSegment)
    /// The second continues the first. The thread syncs the second and then removes the first.
    case replace(TailSegment, by: TailSegment)
    case finish
  }

  private let mailbox: Mailbox<Request>
  private let thread: NamedThread

  /// Calls `tell` from the thread after each sync, with the failure if there was one.
  init(_ tell: @escaping @Sendable (StoreError?) -> Void) throws(SystemError) {
    let mailbox = try Mailbox<Request>()
    self.mailbox = mailbox
    thread = try NamedThread("tail") { Loop(mailbox, tell) }
  }

  /// The body of the thread.
  private struct Loop: ThreadLoop {
    private let mailbox: Mailbox<Request>
    private let tell: @Sendable (StoreError?) -> Void
    private var polls = PollSet()
    private var isOver = false

    init(_ mailbox: Mailbox<Request>, _ tell: @escaping @Sendable (StoreError?) -> Void) {
      self.mailbox = mailbox
      self.tell = tell
      polls.add(mailbox.bell.number)
    }

    func pause() -> Double? { isOver ? nil : .infinity }

    mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

    mutating func round() {
      for request in mailbox.takeAll() {
        do throws(StoreError) {
          switch request {
          case .finish:
            isOver = true
            return
          case .sync(let segment): try segment.sync()
          case .replace(let former, let segment):
            try segment.sync()
            former.remove()
          }
          tell(nil)
        } catch {
          tell(error)
        }
      }
    }
  }

  /// Syncs all written bytes of a segment to the disk.
  func sync(_ segment: TailSegment) {
    _ = mailbox.post(.sync(segment))
  }

  /// Syncs a segment to the disk, and removes the one that it continues.
  func replace(_ former: TailSegment, by segment: TailSegment) {
    _ = mailbox.post(.replace(former, by: segment))
  }

  /// Returns once no sync is under way.
  func finish() {
    _ = mailbox.post(.finish)
    thread.join()
  }
}
