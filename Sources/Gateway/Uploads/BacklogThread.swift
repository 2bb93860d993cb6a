internal import LinuxSystem
internal import Recording
internal import Storage

/// The thread that reads waiting chunks and stores the results of their uploads, for all
/// destinations of a run.
///
/// The thread has two connections of its own: one only reads, and one writes results, each in a
/// short transaction. A recorder may be using the same store.
final class BacklogThread: Sendable {
  struct Connections: ~Copyable {
    let path: String
    let reader: StoreReader
    private var openEditor: StoreEditor?

    init(path: String) throws(StoreError) {
      let reader = try StoreReader(path: path)
      self.path = path
      self.reader = reader
      openEditor = nil
    }

    mutating func edit<Value>(
      _ body: (borrowing StoreEditor) throws -> Value
    ) throws -> Value {
      let editor = try openEditor.take() ?? StoreEditor(path: path)
      let result = Result { try body(editor) }
      openEditor = consume editor
      return try result.get()
    }
  }

  private struct Job: Sendable {
    let run: @Sendable (inout Connections) -> Void
    let fail: @Sendable (any Error) -> Void
  }

  private let mailbox: Mailbox<Job>
  private let stopping = StopFlag()

  /// Starts the thread on the store at `path`, which must exist.
  init(path: String) throws(SystemError) {
    let mailbox = try Mailbox<Job>()
    let stopping = stopping
    self.mailbox = mailbox
    // The last reference may be released on the thread itself, in the closure of a job, so the
    // thread is not joined.
    try NamedThread("backlog") { Loop(path, mailbox, stopping) }.letGo()
  }

  deinit {
    stopping.raise()
    mailbox.bell.ring()
  }

  private struct Loop: ThreadLoop, ~Copyable {
    private let mailbox: Mailbox<Job>
    private let stopping: StopFlag
    private var polls = PollSet()
    private var connections: Connections?
    /// The error if the connections could not be opened, otherwise `nil`.
    private var failure: (any Error)?

    init(_ path: String, _ mailbox: Mailbox<Job>, _ stopping: StopFlag) {
      self.mailbox = mailbox
      self.stopping = stopping
      polls.add(mailbox.bell.number)
      do throws(StoreError) {
        connections = try Connections(path: path)
      } catch {
        connections = nil
        failure = error
      }
    }

    borrowing func pause() -> Double? { stopping.isRaised ? nil : .infinity }

    mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

    mutating func round() {
      for job in mailbox.takeAll() {
        if let failure { job.fail(failure) } else { run(job) }
      }
    }

    private mutating func run(_ job: Job) {
      guard var connections = connections.take() else { return job.fail(Closed()) }
      job.run(&connections)
      self.connections = consume connections
    }

    consuming func end() {
      for job in mailbox.shut() { job.fail(failure ?? Closed()) }
    }
  }

  private struct Closed: Error, CustomStringConvertible {
    var description: String { "the store was closed" }
  }

  /// Returns the result of `body`, which runs on the thread.
  func ask<Value: Sendable>(
    _ body: @escaping @Sendable (inout Connections) throws -> Value
  ) async throws -> Value {
    let result = await Reply<Result<Value, any Error>>.wait { reply in
      let job = Job(
        run: { connections in reply.give(Result { try body(&connections) }) },
        fail: { reply.give(.failure($0)) })
      if !mailbox.post(job) { reply.give(.failure(Closed())) }
    }
    return try result.get()
  }
}
