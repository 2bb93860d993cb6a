internal import LinuxSystem
internal import Values

/// A configuration file with its earlier versions, which are beside it: `footbridge.conf.1` is the
/// newest of them.
///
/// A version is what was replaced by this type. What an editor replaces, this type does not see.
struct ConfigurationFile: Hashable, Sendable {
  /// Versions that are kept.
  static let mostVersions = 3

  /// The path of the file, as the user named it.
  let path: String
  /// The file that links at the path lead to: versions are on its disk.
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

  /// The path of a version, from 1 for the newest.
  func path(ofVersion number: Int) -> String { "\(target).\(number)" }

  /// The numbers of the versions that are there.
  var versions: [Int] {
    (1...Self.mostVersions).filter { Folder.exists(path(ofVersion: $0)) }
  }

  /// The bytes of a version; 0 is the present file. `nil` if there is none.
  func bytes(ofVersion number: Int) throws(SystemError) -> [UInt8]? {
    try WholeFile.read(
      number == 0 ? target : path(ofVersion: number), upTo: ConfigurationParser.mostBytes)
  }

  /// When a version was written; 0 is the present file.
  func timeWritten(ofVersion number: Int) -> UTCTime? {
    WholeFile.timeWritten(number == 0 ? target : path(ofVersion: number))
  }

  /// Replaces the file by a text that passes the check, and keeps the present one as version 1.
  /// When this returns, a power cut does not undo it. If it is interrupted or fails, the present
  /// file is still there.
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
    let present = try bytes(ofVersion: 0)
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
    if let present { try keep(present) }
    try file.rename()
    try Durability.sync(folder: Folder.containing(target))
  }

  /// Makes the present file version 1 too, and each version the next older one.
  private func keep(_ present: [UInt8]) throws(SystemError) {
    // A call that was interrupted had got as far as this.
    if try bytes(ofVersion: 1) == present { return }
    let name = Durability.hiddenName(beside: target)
    try Durability.addName(name, to: target)
    do throws(SystemError) {
      // Versions move only as far as a place is free, which one is after an interruption.
      let there = versions
      let free = (1...Self.mostVersions).first { !there.contains($0) } ?? Self.mostVersions
      for number in (1..<free).reversed() {
        try Durability.rename(path(ofVersion: number), to: path(ofVersion: number + 1))
      }
      try Durability.rename(name, to: path(ofVersion: 1))
    } catch {
      _ = Folder.remove(file: name)
      throw error
    }
  }
}
