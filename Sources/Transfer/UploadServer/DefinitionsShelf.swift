internal import LinuxSystem
public import Values

/// The definitions that an upload server offers to gateways: one file for all of them, or a folder
/// with `GATEWAY.json` for some and `default.json` for the others.
///
/// A file is read at each request, so that an edit takes effect at once. A faulty file is not
/// handed out: its gateways keep the set that they have.
public struct DefinitionsShelf: Sendable {
  /// Definitions that cannot be handed out.
  public struct Fault: Error, Hashable, Sendable {
    public var file: String
    /// The fault, in words for the user.
    public var reason: String

    public init(file: String, reason: String) {
      self.file = file
      self.reason = reason
    }
  }

  /// The largest file that is handed out, in bytes. Gateways accept no larger one.
  public static let largest = 65_536

  private let path: String
  private let isFolder: Bool
  private let fault: @Sendable ([UInt8]) -> String?

  /// The definitions at a path. `fault` checks a set, and returns the reason why it is invalid.
  public init(path: String, fault: @escaping @Sendable ([UInt8]) -> String?) {
    self.path = path
    self.fault = fault
    isFolder = (try? Folder.names(in: path)) != nil
  }

  /// The definitions of a gateway; `nil` if there are none for it.
  public func definitions(of gateway: UniqueID) throws(Fault) -> [UInt8]? {
    guard isFolder else { return try read(path) }
    if let own = try read("\(path)/\(gateway).json") { return own }
    return try read("\(path)/default.json")
  }

  /// Checks all definitions, and returns the number of files.
  public func check() throws(Fault) -> Int {
    guard isFolder else {
      guard try read(path) != nil else { throw Fault(file: path, reason: "file not found") }
      return 1
    }
    let names: [String]
    do throws(SystemError) {
      names = try Folder.names(in: path)
    } catch {
      throw Fault(file: path, reason: "\(error)")
    }
    let files = names.filter { $0.hasSuffix(".json") }
    for name in files.sorted() {
      let file = "\(path)/\(name)"
      guard name == "default.json" || UniqueID(name.dropLast(".json".count)) != nil else {
        throw Fault(
          file: file, reason: "its name is neither default.json nor GATEWAY.json")
      }
      _ = try read(file)
    }
    return files.count
  }

  private func read(_ file: String) throws(Fault) -> [UInt8]? {
    let bytes: [UInt8]?
    do throws(SystemError) {
      // A pipe in place of a file must not block the upload server.
      bytes = try WholeFile.read(file, upTo: Self.largest, waits: false)
    } catch {
      throw Fault(file: file, reason: "\(error)")
    }
    guard let bytes else { return nil }
    guard bytes.count <= Self.largest else {
      throw Fault(file: file, reason: "it is larger than \(Self.largest / 1_024) KiB")
    }
    if let reason = fault(bytes) { throw Fault(file: file, reason: reason) }
    return bytes
  }
}
