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
    /// There is no room for writes and new files. Syncs succeed, as on file systems that reserve
    /// room at each write.
    case full
  }

  /// The planned fault and its time.
  public struct Plan: Hashable, Sendable {
    /// The operation that is the first to fail, counted from 0.
    public var position: Int
    /// How it fails.
    public var fault: Fault
    /// Whether every later operation fails too, or only this one.
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

  /// A disk with a folder, which is removed with this object.
  ///
  /// - Parameters:
  ///   - files: the folder's initial content, such as an image of a `FolderState`.
  ///   - keepsHistory: whether to keep all operations with all written bytes.
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

  /// The path of the folder.
  public var path: String { folder.path }

  /// The number of operations so far that could have failed.
  public var count: Int { state.withLock { $0.count } }

  /// The number of failed operations.
  public var faults: Int { state.withLock { $0.faults } }

  /// The operations so far, for `FolderState`.
  public var history: [FileOperation] { state.withLock { $0.history } }

  /// The number of operations in the history.
  public var historyCount: Int { state.withLock { $0.history.count } }

  /// Makes everything fail from now on.
  public func fail() {
    state.withLock { $0.plan = Plan(at: 0, .failure, isLasting: true) }
  }

  /// Makes everything succeed from now on.
  public func heal() {
    state.withLock { $0.plan = nil }
  }

  /// Makes the next sync take this long, like a card that reorganises its blocks.
  public func stallNextSync(seconds: Double) {
    state.withLock { $0.stall = seconds }
  }

  /// Whether a stalled sync is still to come.
  public var isStallDue: Bool { state.withLock { $0.stall != nil } }

  /// Registers an operation that is about to be carried out. The result is its fault; `nil` to
  /// carry it out.
  public func admit(_ operation: FileOperation) -> Fault? {
    if case .sync = operation, let seconds = state.withLock({ $0.stall.take() }) {
      // The lock is free: other users of the disk continue.
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

  /// Changes of names happen in memory. SQLite ignores the outcome of a folder sync, so its failure
  /// could not be reported.
  private static func canFail(_ operation: FileOperation) -> Bool {
    switch operation {
    case .create, .write, .truncate, .sync: true
    case .syncFolder, .remove, .rename: false
    }
  }

  /// Records the part of a failed operation that takes effect nevertheless.
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

  /// The number of bytes that a failed write leaves in the file.
  public static func partOfFailedWrite(_ count: Int) -> Int { count / 2 }
}
