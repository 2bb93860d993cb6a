internal import Glibc
public import LinuxSystem

/// A folder on a disk that fails, fills up, or loses its power.
///
/// Its files are real ones. SQLite reaches them through `DiskShim`; code that writes other files
/// into the folder reports each operation to `admit`. Syncs are only noted, not carried out: the
/// `history` shows which data they make safe.
public final class SimulatedDisk: Sendable {
  /// How an operation fails.
  public enum Fault: Hashable, Sendable, CaseIterable {
    /// The disk failed.
    case failure
    /// There is no room left for writes and new files. Syncs succeed, as on file systems that set
    /// room aside when a write is made.
    case full
  }

  /// What is to go wrong, and when.
  public struct Plan: Hashable, Sendable {
    /// The operation that is the first to fail, counted from 0.
    public var position: Int
    /// How it fails.
    public var fault: Fault
    /// Whether every operation after it fails too, or just this one.
    public var isLasting: Bool

    /// A plan with the given parts.
    public init(at position: Int, _ fault: Fault, isLasting: Bool) {
      self.position = position
      self.fault = fault
      self.isLasting = isLasting
    }
  }

  private struct State {
    var plan: Plan?
    var count = 0
    var faults = 0
    var history: [FileOperation] = []
    var stall: Double?
  }

  private let folder: TemporaryFolder
  private let keepsHistory: Bool
  private let state = Guarded(State())

  /// A disk with a folder, which goes with this.
  ///
  /// - Parameters:
  ///   - files: what is in the folder, such as an image of a `FolderState`.
  ///   - keepsHistory: whether what is done is noted, with all that is written.
  public init(
    _ plan: Plan? = nil, holding files: [String: [UInt8]] = [:], keepsHistory: Bool = false
  ) throws(SystemError) {
    folder = try TemporaryFolder(prefix: "footbridge-disk")
    for (name, bytes) in files {
      let file = try OwnedDescriptor.create(folder.path + "/" + name)
      guard file.write(bytes) == bytes.count else { throw SystemError("write \(name)") }
    }
    self.keepsHistory = keepsHistory
    state.withLock { $0.plan = plan }
    DiskShim.attach(self)
  }

  deinit {
    DiskShim.detach(folder: folder.path)
  }

  /// The folder.
  public var path: String { folder.path }

  /// Operations so far that could have failed.
  public var count: Int { state.withLock { $0.count } }

  /// How many of them failed.
  public var faults: Int { state.withLock { $0.faults } }

  /// The operations so far, for `FolderState`.
  public var history: [FileOperation] { state.withLock { $0.history } }

  /// How many operations are in it.
  public var historyCount: Int { state.withLock { $0.history.count } }

  /// Has everything fail from here on.
  public func fail() {
    state.withLock { $0.plan = Plan(at: 0, .failure, isLasting: true) }
  }

  /// Has everything succeed from here on.
  public func heal() {
    state.withLock { $0.plan = nil }
  }

  /// Has the next sync take so long, as a tired card does that tidies up.
  public func stallNextSync(seconds: Double) {
    state.withLock { $0.stall = seconds }
  }

  /// Whether a sync is still to be stalled.
  public var isStallDue: Bool { state.withLock { $0.stall != nil } }

  /// Notes an operation that is about to be carried out, unless it is to fail: how, then.
  public func admit(_ operation: FileOperation) -> Fault? {
    if case .sync = operation, let seconds = state.withLock({ $0.stall.take() }) {
      // Other users of the disk go on.
      usleep(useconds_t(seconds * 1e6))
    }
    return state.withLock { state in
      if let fault = Self.fault(of: operation, &state) {
        if keepsHistory { Self.noteFailure(of: operation, &state) }
        return fault
      }
      if keepsHistory { state.history.append(operation) }
      return nil
    }
  }

  private static func fault(of operation: FileOperation, _ state: inout State) -> Fault? {
    guard canFail(operation) else { return nil }
    defer { state.count += 1 }
    guard let plan = state.plan,
      plan.isLasting ? state.count >= plan.position : state.count == plan.position
    else { return nil }
    switch operation {
    case .truncate, .sync: if plan.fault == .full { return nil }
    default: break
    }
    state.faults += 1
    return plan.fault
  }

  /// Names change in memory. SQLite does not look at how the sync of a folder ended, so that nobody
  /// could be told of it.
  private static func canFail(_ operation: FileOperation) -> Bool {
    switch operation {
    case .create, .write, .truncate, .sync: true
    case .syncFolder, .remove, .rename: false
    }
  }

  /// What a failed operation does nevertheless.
  private static func noteFailure(of operation: FileOperation, _ state: inout State) {
    switch operation {
    case .sync(let name, _):
      state.history.append(.sync(name, hasFailed: true))
    case .write(let name, let offset, let bytes):
      let part = bytes.prefix(partOfFailedWrite(bytes.count))
      if !part.isEmpty { state.history.append(.write(name, at: offset, Array(part))) }
    default: break
    }
  }

  /// How many bytes of a write that fails are in the file all the same.
  public static func partOfFailedWrite(_ count: Int) -> Int { count / 2 }
}
