internal import Glibc
internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Values

/// The folder that contains the store, its free space, and the duration of a sync.
struct StoreFolder: Hashable, Sendable {
  /// A description of a problem with the store, and its remedy.
  struct Problem: Hashable, Sendable {
    var text: String
    var remedy: String
  }

  var path: String
  var exists: Bool
  /// The folder that contains the store. If this folder is missing, the nearest existing folder
  /// above it.
  var folder: String
  /// Whether `folder` is the folder that contains the store.
  var hasFolder: Bool
  /// The reason why the store cannot be opened or written to.
  var problem: Problem?
  /// The free space and its state; `nil` if unknown.
  var room: Room?
  /// The median duration of a few syncs in seconds; `nil` if none was measured.
  var sync: Double?

  /// The free space on the disk, compared with the store's limits.
  struct Room: Hashable, Sendable {
    /// The free space's state, as defined by the store's policy.
    var state: SpacePolicy.State
    /// The number of bytes that can still be written.
    var free: UInt64
  }

  /// The duration in seconds above which a sync is considered slow. A slow sync delays the next
  /// one, so a power cut can lose more than one second of samples.
  private static let slowSync = 0.2

  /// Findings about the folder. `MountedDisk` checks the file system.
  var findings: [Finding] {
    if let problem { return [.fault(.store, problem.text, remedy: problem.remedy)] }
    return [storeFinding] + (sync.map { [Self.syncFinding($0)] } ?? [])
  }

  private var storeFinding: Finding {
    let text =
      exists
      ? path
      : hasFolder
        ? "\(path) does not exist yet; the first recording creates it"
        : "the folder of \(path) does not exist yet; the first recording creates both"
    guard let room else { return .ok(.store, text) }
    let free = "\(text), \(ByteText.short(room.free)) free"
    switch room.state {
    case .ok: return .ok(.store, free)
    case .low:
      return .warning(
        .store, "\(free), which is low",
        remedy: "free some space, or choose what may be deleted: footbridge store space --help")
    case .full:
      return .fault(
        .store, "\(free), which is too little to record",
        remedy: "free some space, or choose what may be deleted: footbridge store space --help")
    }
  }

  private static func syncFinding(_ seconds: Double) -> Finding {
    let milliseconds = seconds * 1_000
    let text =
      milliseconds < 0.1
      ? "a sync takes less than 0.1 ms"
      : "a sync takes \(NumberText.fixed(milliseconds, decimals: milliseconds < 10 ? 1 : 0)) ms"
    return seconds < slowSync
      ? .ok(.sync, text)
      : .warning(
        .sync, "\(text), which is slow: a power cut may lose more than the last second of samples",
        remedy: "use another card, or stop other programs from writing to it")
  }
}

extension StoreFolder {
  /// The number of syncs to measure, and the time limit in seconds for all of them.
  private static let syncs = (count: 9, seconds: 1.0)

  /// Examines the folder. Creates neither the folder nor the store. If the folder exists, writes a
  /// small file next to the store, syncs it and removes it.
  init(of path: String) {
    self.path = path
    exists = StoreReader.exists(at: path)
    folder = Self.existingFolder(of: path)
    hasFolder = Folder.exists(Folder.containing(path))
    problem = Self.problem(path, exists: exists, folder)
    guard problem == nil else { return }
    do {
      room = try Self.room(path, exists: exists, folder)
      guard hasFolder else { return }
      let seconds = try DiskProbe.syncs(Self.syncs.count, in: folder, limit: Self.syncs.seconds)
      sync = seconds.sorted()[seconds.count / 2]
    } catch {
      let complaint = Complaint(explaining: error)
      problem = Problem(text: complaint.message, remedy: complaint.remedy)
    }
  }

  /// Returns the folder that contains a store. If this folder is missing, returns the nearest
  /// existing folder above it.
  static func existingFolder(of path: String) -> String {
    var folder = Folder.absolute(Folder.containing(path))
    while folder != "/", !Folder.exists(folder) {
      folder = Folder.absolute(Folder.containing(folder))
    }
    return folder
  }

  private static func problem(_ path: String, exists: Bool, _ folder: String) -> Problem? {
    guard Folder.exists(folder + "/") else {
      return Problem(
        text: "cannot create a store in \(folder): it is a file",
        remedy: "choose another path with --store")
    }
    let refusal =
      FileFacts.refusal(folder, writing: true)
      ?? (exists ? FileFacts.refusal(path, writing: true) : nil)
    return refusal.map {
      Problem(
        text: $0.message,
        remedy: $0.isForbidden
          ? "run the doctor as the gateway's user, or choose another path with --store"
          : "choose a writable path with --store")
    }
  }

  private static func room(_ path: String, exists: Bool, _ folder: String) throws -> Room {
    guard exists else {
      let free = try FileSystem.room(at: folder)
      return Room(state: SpacePolicy().state(.init(used: 0, free: free)), free: free)
    }
    let reader = try StoreReader(path: path)
    let usage = try reader.spaceUsage()
    return Room(state: try reader.spacePolicy().state(usage), free: usage.free)
  }
}
