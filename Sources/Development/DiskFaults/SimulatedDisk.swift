internal import Glibc
public import LinuxSystem

/// A folder on a disk that can fail, fill up or lose power.
///
/// The files are real. SQLite accesses them through `DiskShim`. Code that writes other files into
/// the folder reports each operation to `admit`. Syncs are recorded but not carried out: `history`
/// and `content` show which data they would make safe.
public final class SimulatedDisk: Sendable {
  /// The ways in which an operation can fail.
  public enum Fault: Hashable, Sendable, CaseIterable {
    case failure
    /// There is no space for writes or new files. Syncs succeed, as they do on file systems that
    /// reserve space with each write.
    case full

    public var errorNumber: Int32 { self == .full ? ENOSPC : EIO }
  }

  /// The planned fault and the operation that triggers it.
  public struct Plan: Hashable, Sendable {
    /// The number of the first operation that fails, counted from 0.
    public var position: Int
    public var fault: Fault
    /// Whether all later operations fail too, or only this one.
    public var isLasting: Bool

    public init(at position: Int, _ fault: Fault, isLasting: Bool) {
      self.position = position
      self.fault = fault
      self.isLasting = isLasting
    }
  }

  /// The operations that a disk remembers.
  public enum Memory: Hashable, Sendable {
    case nothing
    /// All operations with all written bytes.
    case history
    /// Only the resulting content of the disk.
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

  /// Creates a disk with a folder. The folder is removed when this object is released.
  ///
  /// - Parameters:
  ///   - files: the folder's initial content, such as an image of a `FolderState`.
  ///   - memory: the operations that the disk remembers.
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

  /// The number of past operations that could have failed.
  public var count: Int { state.withLock { $0.count } }

  public var faults: Int { state.withLock { $0.faults } }

  /// All past operations, as input for `FolderState`.
  public var history: [FileOperation] { state.withLock { $0.history } }

  public var historyCount: Int { state.withLock { $0.history.count } }

  /// The current files, and the states in which a power cut could leave them; `nil` if the disk
  /// does not remember its content.
  public var content: FolderState? { state.withLock { $0.content } }

  /// Makes all subsequent operations fail. With `.full`, only operations that need space fail.
  public func fail(_ fault: Fault = .failure) {
    state.withLock { $0.plan = Plan(at: 0, fault, isLasting: true) }
  }

  /// Makes all subsequent operations succeed.
  public func heal() {
    state.withLock { $0.plan = nil }
  }

  /// Whether a fault is planned or active.
  public var isFaulty: Bool { state.withLock { $0.plan != nil } }

  /// Makes the next sync take this many seconds, as on an SD card while it reorganises its blocks.
  public func stallNextSync(seconds: Double) {
    state.withLock { $0.stall = seconds }
  }

  /// Whether a planned stall has not happened yet.
  public var isStallDue: Bool { state.withLock { $0.stall != nil } }

  /// Registers an operation before it is carried out. Returns the fault to report, or `nil` to
  /// carry the operation out.
  public func admit(_ operation: FileOperation) -> Fault? {
    if case .sync = operation, let seconds = state.withLock({ $0.stall.take() }) {
      // The lock is released during the stall, so other threads can use the disk.
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

  /// Whether an operation can fail. Name changes cannot, because they happen in memory. Folder
  /// syncs cannot, because SQLite ignores their result and would not notice a failure.
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

  /// Returns the part of a failed operation that takes effect anyway.
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
