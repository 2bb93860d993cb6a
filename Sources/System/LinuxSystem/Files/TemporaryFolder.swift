internal import Glibc

/// A temporary folder in `TMPDIR` (or else in `/tmp`) that is removed together with its content.
public final class TemporaryFolder: Sendable {
  /// The existing folders, and whether the process is exiting. Deinitialisers do not run at exit,
  /// so `removeAll` removes the folders in this list.
  private static let existing = Guarded((paths: Set<String>(), isExiting: false))

  public let path: String

  /// Creates a new folder whose name begins with `prefix`. It is in `TMPDIR` or `/tmp` unless
  /// another parent is given.
  public init(prefix: String = "footbridge", in parent: String? = nil) throws(SystemError) {
    let parent = parent ?? TemporaryPlace.small
    var template = Array(TemporaryPlace.template(prefix, in: parent))
    // The folder is created while the lock is held. An exit on another thread therefore either
    // finds the folder or prevents its creation.
    path = try Self.existing.withLock { existing throws(SystemError) in
      guard !existing.isExiting else {
        throw SystemError("create a temporary folder in \(parent)", number: ECANCELED)
      }
      guard unsafe mkdtemp(&template) != nil else {
        throw SystemError("create a temporary folder in \(parent)")
      }
      let path = String(
        decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      existing.paths.insert(path)
      return path
    }
  }

  deinit {
    remove()
  }

  /// Removes the folder immediately. Further calls do nothing.
  public func remove() {
    Self.removeTree(path)
    Self.existing.withLock { _ = $0.paths.remove(path) }
  }

  /// Removes all of this process's folders that still exist. After this call, no thread can create
  /// another folder. A second call removes any folders that remain.
  static func removeAll() {
    let paths = existing.withLock { existing in
      existing.isExiting = true
      return existing.paths
    }
    for path in paths { removeTree(path) }
  }

  /// Removes a folder and all of its content, without following links. Retries if another process
  /// adds a file in the meantime.
  package static func removeTree(_ path: String) {
    for _ in 0..<10 {
      if removeOnce(path) || errno != ENOTEMPTY { return }
    }
  }

  private static func removeOnce(_ path: String) -> Bool {
    // Without O_NOFOLLOW, a link that cannot be unlinked would be followed, and the folder that it
    // points to would be opened.
    let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if number >= 0, let folder = unsafe fdopendir(number) {
      let names = (try? unsafe Folder.names(in: folder, at: path)) ?? []
      _ = unsafe closedir(folder)
      for name in names {
        let child = path + "/" + name
        // Links are never followed: unlink removes the link itself, and only real folders are
        // opened.
        if unsafe unlink(child) != 0 { _ = removeOnce(child) }
      }
    }
    return unsafe rmdir(path) == 0
  }
}
