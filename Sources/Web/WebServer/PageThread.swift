internal import HTTPServer
internal import LinuxSystem
internal import Values
internal import WebAccess

/// The thread `page`, which answers questions one after another: it may wait for a disk.
final class PageThread: Sendable {
  /// Something to do for a page.
  enum Job: Sendable {
    /// Answer a question.
    case question(PageQuestion, PendingAnswer)
    /// Do something and answer.
    case errand(@Sendable () throws(PageFault) -> ServerResponse, PendingAnswer)
    /// End.
    case stop
  }

  /// Downloads at a time.
  private static let mostDownloads = 2

  private let jobs: Mailbox<Job>
  private let thread: NamedThread

  /// Begins to answer from a content.
  init(_ content: any PageContent) throws(SystemError) {
    let jobs = try Mailbox<Job>()
    self.jobs = jobs
    let downloads = Guarded(0)
    thread = try NamedThread("page") {
      var polls = PollSet()
      polls.add(jobs.bell.number)
      var hasMore = false
      while true {
        polls.wait(seconds: hasMore ? 0 : nil)
        for job in jobs.takeAll() {
          switch job {
          case .question(let question, let reply):
            Self.answer(question, from: content, reply, downloads)
          case .errand(let errand, let reply): Self.run(errand, reply)
          case .stop:
            _ = jobs.shut()
            return
          }
        }
        hasMore = content.prepare()
      }
    }
  }

  /// Has something done; `false` if the thread has ended.
  func post(_ job: Job) -> Bool { jobs.post(job) }

  /// Ends the thread.
  func stop() {
    _ = jobs.post(.stop)
    thread.join()
  }

  private static func run(
    _ errand: () throws(PageFault) -> ServerResponse, _ reply: PendingAnswer
  ) {
    do throws(PageFault) {
      reply.give(try errand())
    } catch {
      reply.give(PageResponse.fault(error))
    }
  }

  private static func answer(
    _ question: PageQuestion, from content: any PageContent, _ reply: PendingAnswer,
    _ downloads: Guarded<Int>
  ) {
    do throws(PageFault) {
      switch try content.answer(question) {
      case .json(let value): reply.give(PageResponse.json(value))
      case .bytes(let bytes, let kind): reply.give(PageResponse.bytes(bytes, kind), .tile)
      case .download(let name, let kind, let write):
        try begin(downloads, PageResponse.download(name, kind), reply, write)
      }
    } catch {
      reply.give(PageResponse.fault(error))
    }
  }

  /// Begins a download on a thread of its own.
  private static func begin(
    _ downloads: Guarded<Int>, _ response: ServerResponse, _ reply: PendingAnswer,
    _ write: @escaping @Sendable (PageDownload) throws -> Void
  ) throws(PageFault) {
    let hasPlace = downloads.withLock { count in
      guard count < Self.mostDownloads else { return false }
      count += 1
      return true
    }
    guard hasPlace else {
      throw PageFault(
        503, "\(mostDownloads) downloads are under way", remedy: "wait until one has ended")
    }
    let download = PageDownload()
    let thread = try? NamedThread("download") {
      do {
        try write(download)
        download.finish(isWhole: true)
      } catch {
        download.finish(isWhole: false)
      }
      downloads.withLock { $0 -= 1 }
    }
    guard let thread else {
      downloads.withLock { $0 -= 1 }
      throw PageFault(503, "there is no thread for a download", remedy: "try again later")
    }
    thread.letGo()
    reply.give(response, download)
  }
}
