internal import Glibc

/// A folder under `TMPDIR` (else `/tmp`) that is removed with all its content.
public final class TemporaryFolder: Sendable {
  /// The existing folders, for an exit that runs no deinitialisers.
  private static let existing = Guarded<Set<String>>([])

  /// Path of the folder.
  public let path: String

  /// Makes a new folder whose name begins with `prefix`, in `TMPDIR` or `/tmp` unless another
  /// parent is given.
  public init(prefix: String = "footbridge", in parent: String? = nil) throws(SystemError) {
    let parent = parent ?? TemporaryPlace.small
    var template = Array(TemporaryPlace.template(prefix, in: parent))
    guard unsafe mkdtemp(&template) != nil else {
      throw SystemError("make a temporary folder in \(parent)")
    }
    path = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Self.existing.withLock { [path] in _ = $0.insert(path) }
  }

  deinit {
    remove()
  }

  /// Removes the folder now; later calls do nothing.
  public func remove() {
    Self.removeTree(path)
    Self.existing.withLock { _ = $0.remove(path) }
  }

  /// Removes all folders that this process made and has not removed yet.
  static func removeAll() {
    for path in existing.withLock({ $0 }) { removeTree(path) }
  }

  /// Removes a folder with all its content, and follows no link.
  static func removeTree(_ path: String) {
    // Without O_NOFOLLOW a link that cannot be unlinked would be opened as the folder it points to.
    let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if number >= 0, let folder = unsafe fdopendir(number) {
      let names = (try? unsafe Folder.names(in: folder, at: path)) ?? []
      _ = unsafe closedir(folder)
      for name in names {
        let child = path + "/" + name
        // Never follows a link: unlink removes the link itself, and only real folders are entered.
        if unsafe unlink(child) != 0 { removeTree(child) }
      }
    }
    _ = unsafe rmdir(path)
  }
}
