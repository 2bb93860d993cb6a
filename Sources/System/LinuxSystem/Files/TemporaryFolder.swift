internal import Glibc

/// A folder under `TMPDIR` (else `/tmp`) that is removed with all its content.
public final class TemporaryFolder: Sendable {
  /// The existing folders, for an exit that runs no deinitialisers, and whether one has begun.
  private static let existing = Guarded((paths: Set<String>(), isExiting: false))

  public let path: String

  /// Makes a new folder whose name begins with `prefix`, in `TMPDIR` or `/tmp` unless another
  /// parent is given.
  public init(prefix: String = "footbridge", in parent: String? = nil) throws(SystemError) {
    let parent = parent ?? TemporaryPlace.small
    var template = Array(TemporaryPlace.template(prefix, in: parent))
    // Within the lock: an exit in another thread must know of the folder, or come first.
    path = try Self.existing.withLock { existing throws(SystemError) in
      guard !existing.isExiting else {
        throw SystemError("make a temporary folder in \(parent)", number: ECANCELED)
      }
      guard unsafe mkdtemp(&template) != nil else {
        throw SystemError("make a temporary folder in \(parent)")
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

  /// Removes the folder now; later calls do nothing.
  public func remove() {
    Self.removeTree(path)
    Self.existing.withLock { _ = $0.paths.remove(path) }
  }

  /// Removes all folders that this process made and has not removed yet. From then on no thread
  /// makes another. A second exit removes the remaining ones.
  static func removeAll() {
    let paths = existing.withLock { existing in
      existing.isExiting = true
      return existing.paths
    }
    for path in paths { removeTree(path) }
  }

  /// Removes a folder with all its content, and follows no link. It tries again if another process
  /// adds something meanwhile.
  static func removeTree(_ path: String) {
    for _ in 0..<10 {
      if removeOnce(path) || errno != ENOTEMPTY { return }
    }
  }

  private static func removeOnce(_ path: String) -> Bool {
    // Without O_NOFOLLOW a link that cannot be unlinked would be opened as the folder it points to.
    let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if number >= 0, let folder = unsafe fdopendir(number) {
      let names = (try? unsafe Folder.names(in: folder, at: path)) ?? []
      _ = unsafe closedir(folder)
      for name in names {
        let child = path + "/" + name
        // Never follows a link: unlink removes the link itself, and only real folders are entered.
        if unsafe unlink(child) != 0 { _ = removeOnce(child) }
      }
    }
    return unsafe rmdir(path) == 0
  }
}
