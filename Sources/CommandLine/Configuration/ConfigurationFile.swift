internal import LinuxSystem
internal import Values

/// A configuration file, which is replaced as a whole.
struct ConfigurationFile: Hashable, Sendable {
  /// The path of the file, as the user named it.
  let path: String
  /// The file that links at the path lead to.
  private let target: String

  /// The file at a path, which need not exist.
  init(_ path: String) throws(OutputRefusal) {
    self.path = path
    guard !path.isEmpty else { throw Self.notMeant }
    switch try OutputPlace(path) {
    case .file(let target, _): self.target = target
    case .folder, .stream, .standardOutput: throw Self.noFile(path)
    }
  }

  /// The refusal if the variable is empty.
  private static let notMeant = OutputRefusal(
    "\(ConfigurationLocation.variable) is empty, so there is no configuration",
    remedy: "name a file with --config FILE, or unset the variable")

  private static func noFile(_ path: String) -> OutputRefusal {
    OutputRefusal("\(path) is not a file", remedy: "give the path of a text file")
  }

  /// The bytes of a file, or the error. Of an oversized file, only enough to show that it is too
  /// long.
  static func read(_ path: String) -> Result<[UInt8], OutputRefusal> {
    guard !path.isEmpty else { return .failure(notMeant) }
    do throws(OutputRefusal) {
      // Checked before it is opened: a pipe would keep the program waiting.
      guard case .file(let target, let isThere) = try OutputPlace(path) else {
        return .failure(OutputRefusal("it is not a file", remedy: "give the path of a text file"))
      }
      let file = ShellText.quoted(path)
      // Only root writes below /etc, and a shell opens the file of '>' before 'sudo' counts.
      let end = path.hasPrefix("/etc/") ? "| sudo tee \(file)" : "> \(file)"
      let missing = OutputRefusal(
        "there is no such file",
        remedy: "name another with --config FILE, or begin with: footbridge config example \(end)")
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

  /// The bytes of the file; `nil` if there is none.
  func bytes() throws(SystemError) -> [UInt8]? {
    try WholeFile.read(target, upTo: ConfigurationParser.mostBytes)
  }

  /// Replaces the file by a text that passes the check. When this returns, a power cut does not
  /// undo it. If it is interrupted or fails, the old file remains.
  ///
  /// Returns false, and changes nothing, if the file already has that text.
  @discardableResult
  func write(_ bytes: [UInt8]) throws -> Bool {
    try change { _ in bytes }
  }

  /// The same with a text computed from the present one. Processes take turns, so that none undoes
  /// another's change.
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

  /// The result of replacing a known text.
  enum Outcome: Hashable, Sendable {
    /// The file has the new text.
    case written
    /// The file already had the new text.
    case same
    /// The file has this text, which someone wrote in the meantime, and is left alone.
    case otherwise([UInt8])
  }

  /// Replaces `former`, which was read some time ago, or a file that no longer exists.
  func write(_ bytes: [UInt8], over former: [UInt8]?) throws -> Outcome {
    var other: [UInt8]?
    let isChanged = try change { present in
      guard let present, present != former else { return bytes }
      other = present
      return present
    }
    return other.map { .otherwise($0) } ?? (isChanged ? .written : .same)
  }

  /// Seconds for which a change waits for others. Each takes a few syncs of the disk.
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
