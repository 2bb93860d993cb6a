internal import LinuxSystem
internal import Recording
internal import Storage

/// The thread that reads waiting chunks and notes their outcomes, for all destinations of a run.
///
/// It has its own connections: one only reads, and one writes notes, each in one short transaction.
/// A recorder may be at work in the same store.
final class BacklogThread: Sendable {
  /// The store's path and the thread's connections to it.
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

    /// Changes something in the store.
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
    // The last owner may be the thread itself, in a job's closure, so nothing joins it.
    try NamedThread("backlog") { Self.run(path, mailbox, stopping) }.letGo()
  }

  deinit {
    stopping.raise()
    mailbox.bell.ring()
  }

  private static func run(_ path: String, _ mailbox: Mailbox<Job>, _ stopping: StopFlag) {
    do throws(StoreError) {
      var connections = try Connections(path: path)
      var polls = PollSet()
      polls.add(mailbox.bell.number)
      while !stopping.isRaised {
        polls.wait(seconds: nil)
        for job in mailbox.takeAll() { job.run(&connections) }
      }
      for job in mailbox.shut() { job.fail(Closed()) }
    } catch {
      var polls = PollSet()
      polls.add(mailbox.bell.number)
      while !stopping.isRaised {
        for job in mailbox.takeAll() { job.fail(error) }
        polls.wait(seconds: nil)
      }
      for job in mailbox.shut() { job.fail(Closed()) }
    }
  }

  private struct Closed: Error, CustomStringConvertible {
    var description: String { "the store was closed" }
  }

  /// The result of `body`, which runs on the thread.
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
