import ChunkFormat
import DiskFaults
import Recording
@testable import Storage
import SQLite
import Testing
import Values

/// A short recording into a store that may fail at any operation, and the data that must exist
/// afterwards.
///
/// Each commit stores its chunks and fixes. Once a commit has returned, its data are permanent. A
/// commit that threw an error has stored either all of its data or none.
struct FaultRecording {
  /// The data stored by one commit.
  struct Commit {
    let chunks: [Chunk]
    let bytes: [[UInt8]]
    let fixes: [Fix]
  }

  /// The result of a commit, as seen by the recorder.
  enum Outcome {
    case untried
    /// The commit threw an error.
    case refused
    /// The commit returned.
    case stored
  }

  static let session = SampleRecording.session.id

  /// Six commits of one to three chunks each. All but one are small, so that a run takes
  /// milliseconds.
  static let commits: [Commit] = {
    let encoder = ChunkEncoder()
    var next: UInt32 = 0
    return [1, 2, 1, 3, 1, 2].enumerated().map { number, count in
      let chunks = (0..<count).map { _ in
        defer { next += 1 }
        return SampleRecording.chunk(next, count: next == 4 ? 400 : 8)
      }
      return Commit(
        chunks: chunks, bytes: chunks.map { encoder.encode($0) },
        fixes: number % 2 == 0 ? SampleRecording.fixes : [])
    }
  }()

  let path: String
  /// Called with the number of each commit that has returned.
  var onStored: (Int) -> Void = { _ in }
  private(set) var outcomes = [Outcome](repeating: .untried, count: commits.count)
  private(set) var errors: [StoreError] = []
  /// Whether the end of the session was stored.
  private(set) var isEnded = false

  init(path: String) {
    self.path = path
  }

  /// Records until the first error, like a recorder that is killed at that moment.
  mutating func recordUntilError() {
    do throws(StoreError) {
      try record { (step) throws(StoreError) in try step() }
    } catch {
      errors.append(error)
    }
  }

  /// Records until the end. After a failed step, calls `heal` and repeats the step.
  mutating func recordThroughErrors(heal: () -> Void) throws(StoreError) {
    var errors: [StoreError] = []
    defer { self.errors = errors }
    try record { (step) throws(StoreError) in
      do throws(StoreError) {
        try step()
      } catch {
        errors.append(error)
        heal()
        try step()
      }
    }
  }

  private mutating func record(
    _ attempt: (() throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) {
    var opened: Store?
    try attempt { () throws(StoreError) in opened = try Store.open(path: path) }
    guard var store = opened.take() else { return }
    // This setting makes a checkpoint move the write-ahead log into the file during the recording.
    try attempt { () throws(StoreError) in
      try store.database.execute("PRAGMA wal_autocheckpoint = 12", doing: "set up")
    }
    try attempt { () throws(StoreError) in try store.begin(SampleRecording.session) }
    try attempt { () throws(StoreError) in
      try store.addBoard(SampleRecording.board, session: Self.session)
    }
    try attempt { () throws(StoreError) in
      try store.addStream(
        SampleRecording.acceleration, board: SampleRecording.board.address, session: Self.session)
    }
    for (number, commit) in Self.commits.enumerated() {
      outcomes[number] = .refused
      try attempt { () throws(StoreError) in
        try store.commit(
          chunks: commit.chunks, fixes: commit.fixes,
          clock: number == 0 ? SampleRecording.clock : [])
      }
      outcomes[number] = .stored
      onStored(number)
    }
    let end = BootTime(nanoseconds: 99_000_000_000)
    try attempt { () throws(StoreError) in try store.end(session: Self.session, at: end) }
    isEnded = true
    do throws(StoreError) { try store.close() } catch { errors.append(error) }
  }

  // MARK: After the recording

  /// Compares the store on a disk with the recorded data. Returns a description of the first
  /// difference, or `nil` if there is none.
  static func firstDifference(
    on disk: SimulatedDisk, _ outcomes: [Outcome], isEnded: Bool
  ) throws(StoreError) -> String? {
    try withExtendedLifetime(disk) { () throws(StoreError) in
      try firstDifference(at: disk.path + "/store", outcomes, isEnded: isEnded)
    }
  }

  /// Compares a store with the recorded data.
  ///
  /// Opens the store like a recorder, reads it like an export, records more data and closes it.
  /// Returns a description of the first difference, or `nil` if there is none.
  static func firstDifference(
    at path: String, _ outcomes: [Outcome], isEnded: Bool
  ) throws(StoreError) -> String? {
    var store = try Store.open(path: path)
    let verdict = try quickCheck(store)
    guard verdict == "ok" else { return "quick_check: \(verdict)" }
    if let difference = try contentDifference(at: path, outcomes, isEnded: isEnded) {
      return difference
    }
    var another = SampleRecording.session
    another.id = UniqueID(high: 77, low: 77)
    try store.begin(another)
    try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: [])
    try store.close()
    let reader = try StoreReader(path: path)
    guard try reader.fixCount(of: another.id) == SampleRecording.fixes.count else {
      return "later recordings are missing"
    }
    return nil
  }

  private static func quickCheck(_ store: borrowing Store) throws(StoreError) -> String {
    try store.database.first("PRAGMA quick_check", doing: "check") { row in row.text(0) } ?? ""
  }

  private static func contentDifference(
    at path: String, _ outcomes: [Outcome], isEnded: Bool
  ) throws(StoreError) -> String? {
    let reader = try StoreReader(path: path)
    guard let stream = try reader.streams(of: session).first else {
      return outcomes.contains(.stored) ? "the stream is gone" : nil
    }
    let rows = try reader.chunks(of: stream)
    guard Set(rows.map(\.id)).count == rows.count, Set(rows.map(\.sequence)).count == rows.count
    else { return "something is stored twice" }
    let ids = Set(rows.map(\.id))
    var fixes = 0
    var known = 0
    for (number, commit) in commits.enumerated() {
      let there = commit.chunks.count { ids.contains($0.id) }
      known += there
      switch outcomes[number] {
      case .untried where there > 0: return "commit \(number) is stored too early"
      case .stored where there < commit.chunks.count:
        return "only \(there) chunks of commit \(number) are stored"
      case .refused where there != 0 && there != commit.chunks.count:
        return "commit \(number), which failed, is stored in part"
      default: break
      }
      guard there > 0 else { continue }
      fixes += commit.fixes.count
      for (chunk, bytes) in zip(commit.chunks, commit.bytes)
      where try reader.bytes(ofChunk: chunk.id) != bytes {
        return "a chunk of commit \(number) has changed"
      }
    }
    guard known == rows.count else { return "there is a chunk that was never stored" }
    guard try reader.fixCount(of: session) == fixes else { return "the fixes differ" }
    let end = try reader.sessions().first { $0.id == session }?.end
    if isEnded, end == nil { return "the session's end is gone" }
    return nil
  }
}
