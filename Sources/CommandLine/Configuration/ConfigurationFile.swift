internal import LinuxSystem
internal import Values

/// A configuration file. Each write replaces the whole file.
struct ConfigurationFile: Hashable, Sendable {
  /// The file's path, as given by the user.
  let path: String
  /// The path after following symbolic links.
  private let target: String

  /// Throws if the path names anything other than a file. The file need not exist.
  init(_ path: String) throws(OutputRefusal) {
    self.path = path
    guard !path.isEmpty else { throw Self.notMeant }
    switch try OutputPlace(path) {
    case .file(let target, _): self.target = target
    case .folder, .stream, .standardOutput: throw Self.noFile(path)
    }
  }

  /// The error if the environment variable for the path is empty.
  private static let notMeant = OutputRefusal(
    "\(ConfigurationLocation.variable) is empty, so there is no configuration",
    remedy: "specify a file with --config FILE, or unset the variable")

  private static func noFile(_ path: String) -> OutputRefusal {
    OutputRefusal("\(path) is not a file", remedy: "give the path of a text file")
  }

  /// Reads a file's bytes, or returns the error. Stops reading once the file exceeds the size
  /// limit.
  static func read(_ path: String) -> Result<[UInt8], OutputRefusal> {
    guard !path.isEmpty else { return .failure(notMeant) }
    do throws(OutputRefusal) {
      // The file type is checked before opening, because opening a pipe would block the program.
      guard case .file(let target, let isThere) = try OutputPlace(path) else {
        return .failure(OutputRefusal("it is not a file", remedy: "give the path of a text file"))
      }
      // The default file is under /etc, where only root can write. Its folder may be missing too.
      let creation =
        path == ConfigurationLocation.standard
        ? "sudo footbridge setup" : "footbridge config example > \(ShellText.quoted(path))"
      let missing = OutputRefusal(
        "the file does not exist",
        remedy:
          "specify another file with --config FILE, or create it with: \(creation)")
      guard isThere else { return .failure(missing) }
      do throws(SystemError) {
        let bytes = try WholeFile.read(target, upTo: ConfigurationParser.mostBytes)
        return bytes.map { .success($0) } ?? .failure(missing)
      } catch {
        return .failure(
          OutputRefusal(
            "cannot be read: \(error.reason)", remedy: "check that this user may read it"))
      }
    } catch {
      return .failure(error)
    }
  }

  /// The file's bytes; `nil` if the file does not exist.
  func bytes() throws(SystemError) -> [UInt8]? {
    try WholeFile.read(target, upTo: ConfigurationParser.mostBytes)
  }

  /// Replaces the file's content. Throws if the new content has faults. After a successful call, a
  /// power cut cannot undo the change. If the write is interrupted or fails, the old file remains.
  ///
  /// Returns `false`, and changes nothing, if the file already contains these bytes.
  @discardableResult
  func write(_ bytes: [UInt8]) throws -> Bool {
    try change { _ in bytes }
  }

  /// Replaces the file's content with text computed from the current content. A lock ensures that
  /// two processes do not overwrite each other's changes.
  @discardableResult
  func change(_ text: (_ present: [UInt8]?) throws -> [UInt8]) throws -> Bool {
    do {
      try Folder.make(forFile: target)
      let turn = try FolderLock(Folder.containing(target), waitingAtMost: Self.patience)
      return try change(text, holding: turn)
    } catch let error as SystemError {
      guard error.number != SystemError.timedOut else {
        throw OutputRefusal(
          "cannot write \(path): another program is changing it",
          remedy: "try again when that program has ended")
      }
      throw OutputRefusal(error, writing: path)
    }
  }

  private func change(
    _ text: (_ present: [UInt8]?) throws -> [UInt8], holding turn: borrowing FolderLock
  ) throws -> Bool {
    let present = try bytes()
    let bytes = try text(present)
    if let faults = ConfigurationFaults(ConfigurationReading(bytes, file: path).faults) {
      throw faults
    }
    guard present != bytes else { return false }
    try replace(present, by: bytes)
    return true
  }

  /// The result of replacing content that the caller read earlier.
  enum Outcome: Hashable, Sendable {
    case written
    /// The file already contained the new content.
    case same
    /// The file's content has changed since the caller read it, so the file was not replaced. The
    /// value is the file's current content.
    case otherwise([UInt8])
  }

  /// Replaces the file's content if it still equals `former`, which the caller read earlier.
  /// Creates the file if it is missing.
  func write(_ bytes: [UInt8], over former: [UInt8]?) throws -> Outcome {
    var other: [UInt8]?
    let isChanged = try change { present in
      guard let present, present != former else { return bytes }
      other = present
      return present
    }
    return other.map { .otherwise($0) } ?? (isChanged ? .written : .same)
  }

  /// Maximum seconds to wait while other processes change the file. Each change needs a few disk
  /// syncs.
  private static let patience = 30.0

  private func replace(_ present: [UInt8]?, by bytes: [UInt8]) throws(SystemError) {
    let file = try DurableFile(target)
    if present != nil { file.copyOwner(of: target) }
    try file.write(bytes.span)
    try file.sync()
    try file.rename()
    try Durability.sync(folder: Folder.containing(target))
  }
}
