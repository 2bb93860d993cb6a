internal import Glibc
internal import LinuxSystem
internal import Recording

/// The right to record into a store, which one process at a time can have.
///
/// It is a kernel lock on a small file beside the store, which ends with the process, whatever ends
/// it. The file contains the owner's process id and purpose, for the message to a second process;
/// the owner removes it on closing. The lock is not on the database itself: closing any descriptor
/// of a file drops the locks that SQLite holds on it in the same process.
struct StoreLock: ~Copyable {
  /// The purpose of the lock, as written in its file.
  enum Purpose: String {
    case recording
    /// Recovering the tail of an interrupted recorder, and ending its session.
    case takingInTail = "tail"
    case receiving
    case changing

    /// As in "cannot … the store".
    fileprivate var verb: String {
      switch self {
      case .recording, .takingInTail: "record into"
      case .receiving: "receive into"
      case .changing: "change"
      }
    }

    /// As in "process 17 is …".
    fileprivate var activity: String {
      switch self {
      case .recording: "recording into it"
      case .takingInTail: "recovering the data that an interrupted recording left beside it"
      case .receiving: "receiving into it"
      case .changing: "maintaining it"
      }
    }

    /// Milliseconds for which others wait for its end. Looking for an owner takes microseconds; a
    /// tail is recovered within a second or two, even on a slow card.
    fileprivate var patience: Int { self == .takingInTail ? 10_000 : 200 }
  }

  private let path: String
  private let descriptor: OwnedDescriptor
  /// Whether an earlier owner ended without removing the file.
  let wasLeftBehind: Bool

  /// Milliseconds between two attempts.
  private static let pause = 20

  /// Takes the lock after a short wait, or throws an error that names the owner; `limit` is in
  /// milliseconds.
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
      // The former owner may have removed the file between opening and locking. Then the lock is on
      // a file that no other process will find.
      if let file = FileIdentity(descriptor), file == FileIdentity(path) {
        wasLeftBehind = Self.owner(descriptor) != nil
        self.path = path
        self.descriptor = descriptor
        note(purpose)
        return
      }
    }
  }

  /// Writes the purpose for other processes.
  func note(_ purpose: Purpose) {
    ftruncate(descriptor.number, 0)
    lseek(descriptor.number, 0, SEEK_SET)
    _ = descriptor.write(Array("\(getpid())\n\(purpose.rawValue)\n".utf8))
  }

  /// The purpose for which a process holds the lock now; `nil` if it is free.
  static func purpose(store: String) -> Purpose? {
    guard let descriptor = try? OwnedDescriptor.open(store + "-lock", flags: O_RDONLY),
      flock(descriptor.number, LOCK_SH | LOCK_NB) != 0
    else { return nil }
    // An owner that has not written its purpose yet first looks for another recorder's tail.
    return owner(descriptor)?.purpose ?? .takingInTail
  }

  /// Whether a process holds the lock now.
  static func isHeld(store: String) -> Bool { purpose(store: store) != nil }

  /// Returns when no process recovers a tail any more, or after the longest wait for that.
  static func waitForTail(store: String) {
    var waited = 0
    while purpose(store: store) == .takingInTail, waited < Purpose.takingInTail.patience {
      waited += pause
      usleep(UInt32(pause) * 1_000)
    }
  }

  deinit {
    // Removed while still locked, so that no process can have locked it in between.
    _ = Folder.remove(file: path)
  }

  /// The process named in a lock file, and its purpose.
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
