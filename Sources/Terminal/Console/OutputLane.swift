internal import LinuxSystem
internal import Synchronization
internal import Values

/// Writes pieces of output on a separate thread named `output`, so that no other thread waits for
/// an unread terminal or a full pipe.
///
/// The producer of a result can wait until it is written. The wait ends early if the program must
/// end and nobody is reading any more.
final class OutputLane: Sendable {
  /// Seconds without progress after which writing is abandoned. Applies only once the program must
  /// end.
  private static let patience = 2.0
  /// Seconds between two checks of whether writing is making progress.
  private static let lookSeconds = 0.1
  /// The high-water mark of the queued results, in bytes. Above it, the producer waits. This many
  /// bytes are enough to keep a pipe full.
  private static let fullBytes = 1 << 20
  /// The maximum total size, in bytes, of the live results in the queue. At a few hundred samples
  /// per second, a reader can pause for half a minute without loss.
  private static let mostOfferedBytes = 1 << 22
  /// The maximum number of bytes per write. A pipe accepts this many bytes atomically. Each
  /// completed write counts as progress.
  private static let atOnce = 4_096

  private struct State: Sendable {
    var queue = OutputQueue()
    var isWriting = false
    var hasStarted = false
    var isClosed = false
    var isHurried = false
    /// The number of results accepted. `finished` counts the results that were written or
    /// abandoned.
    var accepted = 0
    var finished = 0
    /// The number of result units written, such as lines of a live result.
    var units = 0
    /// The error that stopped all writing to standard output; `nil` if there was none.
    var failure: OutputError?
    /// Whether `failure` caused the loss of queued bytes.
    var hasLostResult = false
    /// The time of the last progress. If the lane was idle afterwards, the time at which the next
    /// piece was added.
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

  /// Creates a lane that can write to both streams. If each stream has its own lane, this lane
  /// writes to only one of them.
  init(output: any TextSink, errors: any TextSink) {
    self.output = output
    self.errors = errors
  }

  deinit {
    state.change { $0.isClosed = true }
  }

  // MARK: Adding pieces

  /// Queues a piece without waiting for it to be written.
  func add(_ piece: OutputQueue.Piece) {
    state.change { $0.add(piece) }
    start()
  }

  /// Queues a string and waits until it is written.
  func write(_ text: String) throws(OutputError) {
    let ticket = accept(.result(Array(text.utf8), units: 0, isText: true))
    try wait { $0.finished >= ticket }
  }

  /// Queues bytes. Waits first if too many bytes are already queued.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try wait { $0.queue.resultBytes < Self.fullBytes }
    _ = accept(.result(bytes, units: 0, isText: false))
  }

  /// Queues a string that completes `units` units of a result, such as lines. Returns `false` and
  /// drops the string if it does not fit.
  func offer(_ text: String, units: Int) -> Bool {
    let bytes = Array(text.utf8)
    let hasRoom = state.withLock { state in
      state.failure == nil && state.queue.resultBytes + bytes.count <= Self.mostOfferedBytes
    }
    // There is only one producer, so the queue cannot grow before the string is added.
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

  var failure: OutputError? { state.withLock { $0.failure } }

  var unitsWritten: Int { state.withLock { $0.units } }

  var hidesCursor: Bool { cursor.isHidden }

  /// Waits until all results are written. Throws if queued bytes were lost, or if some results
  /// are still unwritten.
  func flush() throws(OutputError) {
    do {
      try wait { $0.finished == $0.accepted }
    } catch {
      let isNews = state.withLock { $0.hasLostResult || $0.finished != $0.accepted }
      if isNews { throw error }
    }
  }

  /// Ends all current and future waits for a reader that has stopped reading.
  func hurry() {
    state.change { $0.isHurried = true }
  }

  /// Waits until everything is written or writing stops making progress. Then ends the thread, or
  /// abandons it if it is blocked.
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

  /// Whether a write has made no progress for `patience` seconds. The time before the thread takes
  /// a piece does not count, because a busy computer may delay the thread for longer than
  /// `patience`.
  private static func isStuck(_ state: State) -> Bool {
    !state.isIdle && (state.isWriting || state.failure != nil)
      && BootClock.now().seconds(since: state.moved) >= patience
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
      // The thread is not joined, because it may be blocked when the program ends.
      try NamedThread("output") { thread.run() }.letGo()
    } catch {
      state.change { $0.failure = .failed(error) }
    }
  }

  /// The loop that the lane's thread runs to write the queued pieces.
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
          state.moved = BootClock.now()
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
          // A failure of standard error cannot be reported anywhere.
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

  /// Records whether the cursor is hidden. This record can be read without waiting for a lock.
  private final class Cursor: Sendable {
    private let hidden = Atomic(false)

    var isHidden: Bool {
      // Safety: no other memory access depends on this value.
      get { hidden.load(ordering: .relaxed) }
      set { hidden.store(newValue, ordering: .relaxed) }
    }
  }
}
