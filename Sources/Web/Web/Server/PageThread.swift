internal import HTTPServer
internal import LinuxSystem
internal import Values

/// The `page` thread, which answers queries one after another. It may block on a disk.
final class PageThread: Sendable {
  enum Job: Sendable {
    case question(PageQuestion, PendingAnswer)
    /// Produce a result that is now ready.
    case late(LateAnswer.Making, PendingAnswer)
    /// Perform a task and send its response.
    case errand(@Sendable () throws(PageFault) -> ServerResponse, PendingAnswer)
    case stop
  }

  /// Maximum number of concurrent downloads.
  private static let mostDownloads = 2

  private let jobs: Mailbox<Job>
  private let thread: NamedThread

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
            Self.answer(reply, jobs, downloads) { () throws(PageFault) in
              try content.answer(question)
            }
          case .late(let making, let reply): Self.answer(reply, jobs, downloads, making)
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

  /// Posts a job. Returns `false` if the thread has ended.
  func post(_ job: Job) -> Bool { jobs.post(job) }

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
    _ reply: PendingAnswer, _ jobs: Mailbox<Job>, _ downloads: Guarded<Int>,
    _ make: () throws(PageFault) -> PageAnswer
  ) {
    do throws(PageFault) {
      switch try make() {
      case .json(let value): reply.give(PageResponse.json(value))
      case .bytes(let bytes, let kind): reply.give(PageResponse.bytes(bytes, kind), .tile)
      case .download(let name, let kind, let write):
        try begin(downloads, PageResponse.download(name, kind), reply, write)
      case .later(let answer):
        answer.begin { making in
          if !jobs.post(.late(making, reply)) { reply.give(PageResponse.fault(.isEnding)) }
        }
      }
    } catch {
      reply.give(PageResponse.fault(error))
    }
  }

  /// Starts a download on a separate thread.
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
        503, "\(mostDownloads) downloads are running", remedy: "wait until one has finished",
        after: 5)
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
      // An export needs a few megabytes of memory, which can be freed afterwards.
      if download.isLarge { ThisProcess.trimMemory() }
    }
    guard let thread else {
      downloads.withLock { $0 -= 1 }
      throw PageFault(503, "cannot start a thread for the download", remedy: "try again later")
    }
    thread.letGo()
    reply.give(response, download)
  }
}
