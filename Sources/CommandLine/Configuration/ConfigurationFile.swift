internal import LinuxSystem
internal import Values

/// A configuration file, which is replaced as a whole.
struct ConfigurationFile: Hashable, Sendable {
  /// The path of the file, as the user named it.
  let path: String
  /// The file that links at the path lead to.
  private let target: String

  /// The file at a path, which need not be there.
  init(_ path: String) throws(OutputRefusal) {
    self.path = path
    guard !path.isEmpty else { throw Self.notMeant }
    switch try OutputPlace(path) {
    case .file(let target, _): self.target = target
    case .folder, .stream, .standardOutput: throw Self.noFile(path)
    }
  }

  /// Why there is no file where the variable is set to nothing.
  private static let notMeant = OutputRefusal(
    "\(ConfigurationLocation.variable) is empty, so there is no configuration",
    remedy: "name a file with --config FILE, or unset the variable")

  private static func noFile(_ path: String) -> OutputRefusal {
    OutputRefusal("\(path) is no file", remedy: "give the path of a text file")
  }

  /// The bytes of a file, or why they cannot be read. Of a file that is far too long, too many.
  static func read(_ path: String) -> Result<[UInt8], OutputRefusal> {
    guard !path.isEmpty else { return .failure(notMeant) }
    do throws(OutputRefusal) {
      // Asked before it is opened: a pipe would keep the program waiting.
      guard case .file(let target, let isThere) = try OutputPlace(path) else {
        return .failure(OutputRefusal("it is no file", remedy: "give the path of a text file"))
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
            "cannot be read: \(error.reason)", remedy: "see that this user may read it"))
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
  /// undo it. If it is interrupted or fails, the present file is still there.
  ///
  /// Returns false, and changes nothing, if the file has that text already.
  @discardableResult
  func write(_ bytes: [UInt8]) throws -> Bool {
    try change { _ in bytes }
  }

  /// The same with a text that follows from the present one. Changes by several processes take
  /// turns, so that none of them undoes another.
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

  /// What became of a text that was to replace a certain one.
  enum Outcome: Hashable, Sendable {
    /// The file has it now.
    case written
    /// The file had it already.
    case same
    /// The file has this one, which somebody wrote meanwhile, and stays as it is.
    case otherwise([UInt8])
  }

  /// Replaces `former`, which was read some time ago, or a file that is gone.
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
