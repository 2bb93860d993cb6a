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
    switch try OutputPlace(path) {
    case .file(let target, _): self.target = target
    case .folder, .stream, .standardOutput: throw Self.noFile(path)
    }
  }

  private static func noFile(_ path: String) -> OutputRefusal {
    OutputRefusal("\(path) is no file", remedy: "give the path of a text file")
  }

  /// The bytes of a file, or why they cannot be read. Of a file that is far too long, too many.
  static func read(_ path: String) -> Result<[UInt8], OutputRefusal> {
    do throws(OutputRefusal) {
      // Asked before it is opened: a pipe would keep the program waiting.
      guard case .file(let target, let isThere) = try OutputPlace(path) else {
        return .failure(OutputRefusal("it is no file", remedy: "give the path of a text file"))
      }
      let missing = OutputRefusal(
        "there is no such file",
        remedy: "begin with 'footbridge config example', or name another with --config FILE")
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
    if let faults = ConfigurationFaults(ConfigurationReading(bytes, file: path).faults) {
      throw faults
    }
    do throws(SystemError) {
      return try replace(by: bytes)
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }

  private func replace(by bytes: [UInt8]) throws(SystemError) -> Bool {
    let present = try self.bytes(ofVersion: 0)
    guard present != bytes else { return false }
    try Folder.make(forFile: target)
    let file = try DurableFile(target)
    if present != nil { file.copyOwner(of: target) }
    try file.write(bytes.span)
    try file.sync()
    if let present { try keep(present) }
    try file.rename()
    try Durability.sync(folder: Folder.containing(target))
    return true
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
