internal import LinuxSystem
internal import Recording
internal import Storage

/// The thread that brings the tail to the disk. Nothing else waits before it: a commit may take
/// seconds, and a power cut in them would cost all that came since the sync before.
final class TailSyncer: Sendable {
  private enum Request: Sendable {
    case sync(TailSegment)
    /// The second goes on where the first ended: it is synced, and the first is removed.
    case replace(TailSegment, by: TailSegment)
    case finish
  }

  private let mailbox: Mailbox<Request>
  private let thread: NamedThread

  /// Starts the thread. `tell` is called from it after each sync, with what went wrong if anything
  /// did.
  init(_ tell: @escaping @Sendable (StoreError?) -> Void) throws(SystemError) {
    let mailbox = try Mailbox<Request>()
    self.mailbox = mailbox
    thread = try NamedThread("tail") {
      var polls = PollSet()
      polls.add(mailbox.bell.number)
      while true {
        polls.wait(seconds: nil)
        for request in mailbox.takeAll() {
          do throws(StoreError) {
            switch request {
            case .finish: return
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
  }

  /// Brings a segment to the disk as far as it was written.
  func sync(_ segment: TailSegment) {
    _ = mailbox.post(.sync(segment))
  }

  /// Brings a segment to the disk and removes the one that it goes on from.
  func replace(_ former: TailSegment, by segment: TailSegment) {
    _ = mailbox.post(.replace(former, by: segment))
  }

  /// Returns when nothing is being synced any more.
  func finish() {
    _ = mailbox.post(.finish)
    thread.join()
  }
}
