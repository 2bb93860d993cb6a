internal import Glibc
public import LinuxSystem

/// A folder on a disk that fails, fills up, or loses its power.
///
/// Its files are real ones. SQLite reaches them through `DiskShim`; code that writes other files
/// into the folder reports each operation to `admit`. Syncs are only noted, not carried out: the
/// `history` and the `content` show which data they make safe.
public final class SimulatedDisk: Sendable {
  /// The way an operation fails.
  public enum Fault: Hashable, Sendable, CaseIterable {
    case failure
    /// There is no room for writes and new files. Syncs succeed, as on file systems that reserve
    /// room at each write.
    case full

    /// The number of the error that programs see.
    public var errorNumber: Int32 { self == .full ? ENOSPC : EIO }
  }

  /// The planned fault and its time.
  public struct Plan: Hashable, Sendable {
    /// The operation that is the first to fail, counted from 0.
    public var position: Int
    public var fault: Fault
    /// Whether every later operation fails too, or only this one.
    public var isLasting: Bool

    public init(at position: Int, _ fault: Fault, isLasting: Bool) {
      self.position = position
      self.fault = fault
      self.isLasting = isLasting
    }
  }

  /// The part of the operations that a disk keeps.
  public enum Memory: Hashable, Sendable {
    case nothing
    /// All of them with all written bytes.
    case history
    /// The content that they leave on the disk.
    case content
  }

  private struct State {
    var plan: Plan?
    var count = 0
    var faults = 0
    var history: [FileOperation] = []
    var content: FolderState?
    var stall: Double?
  }

  private let folder: TemporaryFolder
  private let memory: Memory
  private let state = Guarded(State())

  /// A disk with a folder, which is removed with this object.
  ///
  /// - Parameters:
  ///   - files: the folder's initial content, such as an image of a `FolderState`.
  ///   - memory: the part of the operations to keep.
  public init(
    _ plan: Plan? = nil, holding files: [String: [UInt8]] = [:], keeping memory: Memory = .nothing
  ) throws(SystemError) {
    folder = try TemporaryFolder(prefix: "footbridge-disk")
    for (name, bytes) in files {
      let file = try OwnedDescriptor.create(folder.path + "/" + name)
      guard file.write(bytes) == bytes.count else { throw SystemError("write \(name)") }
    }
    self.memory = memory
    let content = memory == .content ? FolderState(holding: files) : nil
    state.withLock { state in
      state.plan = plan
      state.content = content
    }
    DiskShim.attach(self)
  }

  deinit {
    DiskShim.detach(folder: folder.path)
  }

  public var path: String { folder.path }

  /// The number of operations so far that could have failed.
  public var count: Int { state.withLock { $0.count } }

  /// The number of failed operations.
  public var faults: Int { state.withLock { $0.faults } }

  /// The operations so far, for `FolderState`.
  public var history: [FileOperation] { state.withLock { $0.history } }

  /// The number of operations in the history.
  public var historyCount: Int { state.withLock { $0.history.count } }

  /// The files and the parts of them that a power cut now may leave; `nil` for a disk that does not
  /// keep its content.
  public var content: FolderState? { state.withLock { $0.content } }

  /// Makes everything fail from now on, or everything that needs room.
  public func fail(_ fault: Fault = .failure) {
    state.withLock { $0.plan = Plan(at: 0, fault, isLasting: true) }
  }

  /// Makes everything succeed from now on.
  public func heal() {
    state.withLock { $0.plan = nil }
  }

  /// Whether anything is to fail.
  public var isFaulty: Bool { state.withLock { $0.plan != nil } }

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
        if let part = Self.remainder(of: operation) { note(part, &state) }
        return fault
      }
      note(operation, &state)
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

  private func note(_ operation: FileOperation, _ state: inout State) {
    switch memory {
    case .nothing: break
    case .history: state.history.append(operation)
    case .content: state.content?.apply(operation)
    }
  }

  /// The part of a failed operation that still takes effect.
  private static func remainder(of operation: FileOperation) -> FileOperation? {
    switch operation {
    case .sync(let name, _):
      return .sync(name, hasFailed: true)
    case .write(let name, let offset, let bytes):
      let part = bytes.prefix(FileOperation.partOfFailedWrite(bytes.count))
      return part.isEmpty ? nil : .write(name, at: offset, Array(part))
    default: return nil
    }
  }
}
