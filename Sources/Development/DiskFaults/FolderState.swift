public import LinuxSystem

/// Models a folder's content, including data that may or may not survive a power cut.
///
/// Processes every operation on the folder's files, in chronological order. Synced data survives.
/// Any subset of the unsynced writes and truncations may survive. So may any number of the oldest
/// unsynced name changes. A surviving write may be whole, or torn into sectors.
public struct FolderState: Sendable {
  /// The fate of unsynced bytes after a power cut.
  public enum Fate: Hashable, Sendable {
    case lost
    /// The bytes survive, as they do when only the process is killed.
    case kept
    /// A random part of each write survives.
    case drawn
  }

  /// The number of bytes that reach the disk together or not at all.
  public static let sector = 512

  private var files: [Content] = []
  /// The files in the folder as of its last sync, by name.
  private var names: [String: Int] = [:]
  /// Name changes since the folder's last sync. File systems preserve their order.
  private var changes: [Change] = []
  /// The files that programs currently see, by name.
  private var seen: [String: Int] = [:]

  private enum Change {
    case bind(String, Int)
    case unbind(String)
  }

  public init() {}

  /// Creates a folder with files that are already synced.
  public init(holding files: [String: [UInt8]]) {
    for (name, bytes) in files {
      apply(.create(name))
      apply(.write(name, at: 0, bytes))
      apply(.sync(name))
    }
    apply(.syncFolder)
  }

  /// - Precondition: the file of a write, a truncation or a sync exists.
  public mutating func apply(_ operation: FileOperation) {
    switch operation {
    case .create(let name):
      files.append(Content())
      bind(name, files.count - 1)
    case .write(let name, let offset, let bytes):
      files[file(name)].add(.write(at: offset, bytes))
    case .truncate(let name, let length):
      files[file(name)].add(.truncate(length))
    case .sync(let name, let hasFailed):
      files[file(name)].sync(hasFailed: hasFailed)
    case .syncFolder:
      names = seen
      changes = []
    case .remove(let name):
      seen[name] = nil
      changes.append(.unbind(name))
    case .rename(let name, let newName):
      let file = file(name)
      seen[name] = nil
      bind(newName, file)
      changes.append(.unbind(name))
    }
  }

  /// Returns the files and their bytes after a power cut at this point.
  public func image(
    _ fate: Fate, using random: inout some RandomNumberGenerator
  ) -> [String: [UInt8]] {
    var left = names
    let count =
      switch fate {
      case .lost: 0
      case .kept: changes.count
      case .drawn: Int.random(in: 0...changes.count, using: &random)
      }
    for change in changes.prefix(count) {
      switch change {
      case .bind(let name, let file): left[name] = file
      case .unbind(let name): left[name] = nil
      }
    }
    var image: [String: [UInt8]] = [:]
    // Process the files in a fixed order, so that a seed always produces the same image.
    for (name, file) in left.sorted(by: { $0.key < $1.key }) {
      image[name] = files[file].image(fate, using: &random)
    }
    return image
  }

  private mutating func bind(_ name: String, _ file: Int) {
    seen[name] = file
    changes.append(.bind(name, file))
  }

  private func file(_ name: String) -> Int {
    guard let file = seen[name] else { preconditionFailure("there is no file '\(name)'") }
    return file
  }
}

/// The content of one file: the bytes on the disk, and the edits made since.
private struct Content: Sendable {
  enum Edit {
    case write(at: Int, [UInt8])
    case truncate(Int)
  }

  enum Safety {
    case unsynced
    /// A sync of this edit failed, so no later sync guarantees that it is on the disk.
    case doubtful
    case synced
  }

  /// The bytes that are certainly on the disk. The first uncertain edit and all later ones are not
  /// included.
  private var bytes: [UInt8] = []
  private var edits: [(edit: Edit, safety: Safety)] = []

  mutating func add(_ edit: Edit) {
    edits.append((edit, .unsynced))
  }

  mutating func sync(hasFailed: Bool) {
    for index in edits.indices where edits[index].safety == .unsynced {
      edits[index].safety = hasFailed ? .doubtful : .synced
    }
    let certain = edits.prefix { $0.safety == .synced }
    for (edit, _) in certain { Self.apply(edit, to: &bytes) }
    edits.removeFirst(certain.count)
  }

  func image(_ fate: FolderState.Fate, using random: inout some RandomNumberGenerator) -> [UInt8] {
    var image = bytes
    for (edit, safety) in edits {
      switch safety == .synced ? .kept : fate {
      case .kept: Self.apply(edit, to: &image)
      case .lost: break
      case .drawn: Self.applyPart(of: edit, to: &image, using: &random)
      }
    }
    return image
  }

  private static func apply(_ edit: Edit, to bytes: inout [UInt8]) {
    switch edit {
    case .write(let offset, let new):
      lengthen(&bytes, to: offset + new.count)
      bytes.replaceSubrange(offset..<offset + new.count, with: new)
    case .truncate(let length):
      if length < bytes.count { bytes.removeSubrange(length...) }
      lengthen(&bytes, to: length)
    }
  }

  /// Applies the edit completely, partly or not at all. A partly applied write keeps a random
  /// selection of its sectors, with or without the full new length.
  private static func applyPart(
    of edit: Edit, to bytes: inout [UInt8], using random: inout some RandomNumberGenerator
  ) {
    let isWhole = Bool.random(using: &random)
    let isTorn = Bool.random(using: &random)
    guard isTorn, case .write(let offset, let new) = edit else {
      if isWhole { apply(edit, to: &bytes) }
      return
    }
    // A file system may record the new length before the bytes.
    if isWhole { lengthen(&bytes, to: offset + new.count) }
    var start = offset
    while start < offset + new.count {
      let sector = start / FolderState.sector
      let end = min((sector + 1) * FolderState.sector, offset + new.count)
      if Bool.random(using: &random) {
        apply(.write(at: start, Array(new[start - offset..<end - offset])), to: &bytes)
      }
      start = end
    }
  }

  private static func lengthen(_ bytes: inout [UInt8], to length: Int) {
    guard bytes.count < length else { return }
    bytes += [UInt8](repeating: 0, count: length - bytes.count)
  }
}
