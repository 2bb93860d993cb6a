internal import LinuxSystem
internal import Synchronization
internal import Values

/// Writes pieces on a thread of its own, named `output`, so that no other thread waits for an
/// unread terminal, a full pipe or the journal.
///
/// The producer of a result may wait for it here. The wait ends when the program must end and
/// nobody reads any more.
final class OutputLane: Sendable {
  /// Seconds without progress after which a reader is given up, once the program must end.
  private static let patience = 2.0
  /// Seconds between two checks of the progress.
  private static let lookSeconds = 0.1
  /// Bytes of waiting results at which the producer waits: enough to keep a pipe full.
  private static let fullBytes = 1 << 20
  /// Bytes of waiting samples at most: a reader may pause for half a minute at a few hundred
  /// samples a second without loss.
  private static let mostOfferedBytes = 1 << 22
  /// Bytes per write: as many as a pipe takes in one piece. Each such write counts as progress.
  private static let atOnce = 4_096

  private struct State: Sendable {
    var queue = OutputQueue()
    /// Whether the thread is writing a piece.
    var isWriting = false
    var hasStarted = false
    var isClosed = false
    /// Whether the program must end.
    var isHurried = false
    /// The number of accepted results, and of the results written or given up.
    var accepted = 0
    var finished = 0
    /// The number of result units written.
    var units = 0
    /// The reason why nothing more goes to standard output.
    var failure: OutputError?
    /// Whether that failure lost a result for which no caller waited.
    var hasLostResult = false
    /// The time of the last progress, or of the first waiting piece.
    var moved = BootTime(nanoseconds: 0)

    var isIdle: Bool { queue.isEmpty && !isWriting }

    mutating func add(_ piece: OutputQueue.Piece) {
      if isIdle { moved = BootClock.now() }
      queue.add(piece)
    }
  }

  private let state = Monitor(State())
  private let cursor = Cursor()
  private let output: any TextSink
  private let errors: any TextSink

  /// Writes to these two streams; a lane may receive pieces for only one of them.
  init(output: any TextSink, errors: any TextSink) {
    self.output = output
    self.errors = errors
  }

  deinit {
    state.change { $0.isClosed = true }
  }

  // MARK: Adding pieces

  /// Adds a piece that no thread waits for.
  func add(_ piece: OutputQueue.Piece) {
    state.change { $0.add(piece) }
    start()
  }

  /// Adds a text and waits until it is written.
  func write(_ text: String) throws(OutputError) {
    let ticket = accept(.result(Array(text.utf8), units: 0, isText: true))
    try wait { $0.finished >= ticket }
  }

  /// Adds bytes; waits while many are waiting.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try wait { $0.queue.resultBytes < Self.fullBytes }
    _ = accept(.result(bytes, units: 0, isText: false))
  }

  /// Adds a text that ends this number of result units, if there is room for it.
  func offer(_ text: String, units: Int) -> Bool {
    let bytes = Array(text.utf8)
    let hasRoom = state.withLock { state in
      state.failure == nil && state.queue.resultBytes + bytes.count <= Self.mostOfferedBytes
    }
    // Meanwhile the queue can only shrink: there is one producer.
    if hasRoom { _ = accept(.result(bytes, units: units, isText: true)) }
    return hasRoom
  }

  private func accept(_ piece: OutputQueue.Piece) -> Int {
    let ticket = state.change { state in
      state.accepted += 1
      state.add(piece)
      return state.accepted
    }
    start()
    return ticket
  }

  // MARK: Results

  /// The reason why nothing more goes to standard output, if it failed.
  var failure: OutputError? { state.withLock { $0.failure } }

  /// The number of result units written.
  var unitsWritten: Int { state.withLock { $0.units } }

  /// Whether the cursor of the terminal is hidden.
  var hidesCursor: Bool { cursor.isHidden }

  /// Waits until all results are written. Throws if one was lost without an error to its producer.
  func flush() throws(OutputError) {
    do {
      try wait { $0.finished == $0.accepted }
    } catch {
      let isNews = state.withLock { $0.hasLostResult || $0.finished != $0.accepted }
      if isNews { throw error }
    }
  }

  /// From now on, no thread waits for a reader that does not read.
  func hurry() {
    state.change { $0.isHurried = true }
  }

  /// Waits until everything is written or nothing moves any more. Then ends the thread, or abandons
  /// it where it is stuck.
  func close() {
    var isOver = false
    while !isOver {
      isOver =
        state.wait(seconds: Self.lookSeconds) { state in
          state.isIdle || Self.isStuck(state) ? true : nil
        } ?? false
    }
    state.change { $0.isClosed = true }
  }

  private static func isStuck(_ state: State) -> Bool {
    !state.isIdle && BootClock.now().seconds(since: state.moved) >= patience
  }

  private enum Step: Sendable {
    case done
    case failed(OutputError)
    case hurried
  }

  private func wait(until isDone: (State) -> Bool) throws(OutputError) {
    var isHurried = false
    while true {
      let step = state.wait(seconds: isHurried ? Self.lookSeconds : nil) { state -> Step? in
        if let failure = state.failure { return .failed(failure) }
        if isDone(state) { return .done }
        guard state.isHurried else { return nil }
        if Self.isStuck(state) { return .failed(.unread) }
        return isHurried ? nil : .hurried
      }
      switch step {
      case .done: return
      case .failed(let error): throw error
      case .hurried: isHurried = true
      case nil: continue
      }
    }
  }

  // MARK: The thread

  private func start() {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    guard isFirst else { return }
    let thread = Writing(state, cursor, OutputWriter(output: output, errors: errors))
    do throws(SystemError) {
      // It is not joined: it may be stuck when the program ends.
      try NamedThread("output") { thread.run() }.letGo()
    } catch {
      state.change { $0.failure = .failed(error) }
    }
  }

  /// The work of the thread.
  private struct Writing: Sendable {
    private let state: Monitor<State>
    private let cursor: Cursor
    private let writer: OutputWriter

    init(_ state: Monitor<State>, _ cursor: Cursor, _ writer: OutputWriter) {
      self.state = state
      self.cursor = cursor
      self.writer = writer
    }

    private enum Next: Sendable {
      case piece(OutputQueue.Piece, canWrite: Bool)
      case end
    }

    func run() {
      var writer = writer
      while true {
        let next = state.wait { state -> Next? in
          guard let piece = state.queue.next() else { return state.isClosed ? .end : nil }
          state.isWriting = true
          return .piece(piece, canWrite: state.failure == nil)
        }
        guard case .piece(let piece, let canWrite) = next else { return }
        write(piece, canWrite: canWrite, &writer)
      }
    }

    private func write(
      _ piece: OutputQueue.Piece, canWrite: Bool, _ writer: inout OutputWriter
    ) {
      var failure: OutputError?
      let texts = writer.texts(of: piece)
      if writer.hidesCursor { cursor.isHidden = true }
      for (stream, bytes) in texts where stream == .errors || (canWrite && failure == nil) {
        do throws(OutputError) {
          try write(bytes, to: writer.sink(stream))
        } catch {
          // If standard error leads nowhere, there is no place left to report it.
          if stream == .output { failure = error }
        }
      }
      cursor.isHidden = writer.hidesCursor
      state.change { state in
        state.isWriting = false
        state.moved = BootClock.now()
        state.failure = state.failure ?? failure
        guard case .result(_, let units, let isText) = piece else { return }
        state.finished += 1
        if state.failure == nil {
          state.units += units
        } else if !isText {
          state.hasLostResult = true
        }
      }
    }

    private func write(_ bytes: [UInt8], to sink: any TextSink) throws(OutputError) {
      let bytes = bytes.span
      var done = 0
      while done < bytes.count {
        let end = min(bytes.count, done + OutputLane.atOnce)
        try sink.write(bytes.extracting(done..<end))
        done = end
        state.withLock { $0.moved = BootClock.now() }
      }
    }
  }

  /// Whether the cursor is hidden, readable by a thread that may not wait for a lock.
  private final class Cursor: Sendable {
    private let hidden = Atomic(false)

    var isHidden: Bool {
      // Safety: no other memory is read because of it.
      get { hidden.load(ordering: .relaxed) }
      set { hidden.store(newValue, ordering: .relaxed) }
    }
  }
}
