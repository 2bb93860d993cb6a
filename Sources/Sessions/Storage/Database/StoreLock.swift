internal import Glibc
internal import LinuxSystem
internal import Recording

/// The exclusive right to record into a store. At most one process holds it.
///
/// The lock is a kernel lock on a small file next to the store, and is released when the process
/// ends, for whatever reason. The file contains the owner's process id and purpose, which a second
/// process includes in its error message. The owner removes the file just before it releases the
/// lock. The database file itself is not locked: closing any descriptor of a file would drop the
/// locks that SQLite holds on it in the same process.
struct StoreLock: ~Copyable {
  /// The purpose for which a process holds the lock, as written in the lock file.
  enum Purpose: String {
    case recording
    /// The process is recovering the tail of an interrupted recorder and ending its session.
    case takingInTail = "tail"
    case receiving
    case changing
    /// The path is the destination of a backup.
    case backingUp = "backup"

    /// The verb in messages such as "cannot … the store".
    fileprivate var verb: String {
      switch self {
      case .recording, .takingInTail: "record into"
      case .receiving: "store sessions in"
      case .changing: "change"
      case .backingUp: "back up to"
      }
    }

    /// The activity in messages such as "process 17 is …".
    fileprivate var activity: String {
      switch self {
      case .recording: "recording into it"
      case .takingInTail: "recovering the data that an interrupted recording left beside it"
      case .receiving: "storing sessions in it"
      case .changing: "maintaining it"
      case .backingUp: "backing up to it"
      }
    }

    /// Maximum time in milliseconds for which other processes wait for a lock held for this
    /// purpose. A process that only checks the lock holds it for microseconds. Recovering a tail
    /// takes a second or two, even on a slow card.
    fileprivate var patience: Int { self == .takingInTail ? 10_000 : 200 }
  }

  private let path: String
  private let descriptor: OwnedDescriptor
  /// Whether an earlier owner exited without removing the lock file.
  let wasLeftBehind: Bool

  /// Milliseconds between attempts to lock the file.
  private static let pause = 20

  /// Acquires the lock, waiting for at most `limit` milliseconds. If this fails, throws an error
  /// that names the owner.
  init(
    store: String, _ purpose: Purpose, waitingAtMost limit: Int = .max
  ) throws(StoreError) {
    try StoreFile.refuseFolder(store)
    let path = store + "-lock"
    var waited = 0
    while true {
      let descriptor = try StoreError.explained("lock", store) { () throws(SystemError) in
        try StoreFile.open(path, besides: store, O_RDWR | O_CREAT)
      }
      guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
        let owner = Self.owner(descriptor)
        if waited < min(limit, (owner?.purpose ?? .recording).patience) {
          waited += Self.pause
          usleep(UInt32(Self.pause) * 1_000)
          continue
        }
        let name = owner.map { "process \($0.process)" } ?? "another process"
        let activity = (owner?.purpose ?? .recording).activity
        throw .found(
          .locked, "cannot \(purpose.verb) \(store): \(name) is \(activity)", path: store)
      }
      // The previous owner may have removed the file after this process opened it and before this
      // process locked it. The lock would then be on a file that no other process can find.
      if let file = FileIdentity(descriptor), file == FileIdentity(path) {
        wasLeftBehind = Self.owner(descriptor) != nil
        self.path = path
        self.descriptor = descriptor
        note(purpose)
        return
      }
    }
  }

  /// Writes the purpose to the lock file, where other processes can read it.
  func note(_ purpose: Purpose) {
    ftruncate(descriptor.number, 0)
    lseek(descriptor.number, 0, SEEK_SET)
    _ = descriptor.write(Array("\(getpid())\n\(purpose.rawValue)\n".utf8))
  }

  /// Returns the purpose for which a process currently holds the lock; `nil` if no process holds
  /// it.
  static func purpose(store: String) -> Purpose? {
    guard let descriptor = try? OwnedDescriptor.open(store + "-lock", flags: O_RDONLY),
      flock(descriptor.number, LOCK_SH | LOCK_NB) != 0
    else { return nil }
    // An owner that has not yet written its purpose is still checking whether another recorder left
    // a tail.
    return owner(descriptor)?.purpose ?? .takingInTail
  }

  static func isHeld(store: String) -> Bool { purpose(store: store) != nil }

  /// Waits until no process is recovering a tail, but for at most 10 seconds.
  static func waitForTail(store: String) {
    var waited = 0
    while purpose(store: store) == .takingInTail, waited < Purpose.takingInTail.patience {
      waited += pause
      usleep(UInt32(pause) * 1_000)
    }
  }

  deinit {
    // Remove the file while it is still locked, so that no other process can lock it before its
    // removal.
    _ = Folder.remove(file: path)
  }

  private static func owner(
    _ descriptor: borrowing OwnedDescriptor
  ) -> (process: Int32, purpose: Purpose)? {
    let text = String(decoding: descriptor.read(at: 0, count: 32), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let process = lines.first.flatMap({ Int32($0) }) else { return nil }
    // The process may have been killed before it wrote the second line.
    return (
      process, lines.dropFirst().first.flatMap { Purpose(rawValue: String($0)) } ?? .recording
    )
  }
}
