internal import LinuxSystem
internal import Recording
internal import Storage

/// A thread that only syncs the tail to the disk. If it also committed chunks, it could be busy for
/// seconds, and all samples since the last sync would be lost in a power failure.
final class TailSyncer: Sendable {
  private enum Request: Sendable {
    case sync(TailSegment)
    /// The second segment continues the first. The thread syncs the second and then removes the
    /// first.
    case replace(TailSegment, by: TailSegment)
    case finish
  }

  private let mailbox: Mailbox<Request>
  private let thread: NamedThread

  /// Calls `tell` on the thread after each sync, with the error or, on success, `nil`.
  init(_ tell: @escaping @Sendable (StoreError?) -> Void) throws(SystemError) {
    let mailbox = try Mailbox<Request>()
    self.mailbox = mailbox
    thread = try NamedThread("tail") { Loop(mailbox, tell) }
  }

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

  /// Requests a sync of all the segment's written bytes to the disk.
  func sync(_ segment: TailSegment) {
    _ = mailbox.post(.sync(segment))
  }

  /// Requests a sync of `segment` to the disk, and then the removal of `former`, which it
  /// continues.
  func replace(_ former: TailSegment, by segment: TailSegment) {
    _ = mailbox.post(.replace(former, by: segment))
  }

  /// Waits for the requested syncs, and ends the thread.
  func finish() {
    _ = mailbox.post(.finish)
    thread.join()
  }
}
