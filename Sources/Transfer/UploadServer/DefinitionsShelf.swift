internal import LinuxSystem
public import Values

/// The definitions that an upload server offers to gateways. They are stored in one file for all
/// gateways, or in a folder. The folder contains `GATEWAY.json` for some gateways and
/// `default.json` for the others.
///
/// The file is read for each request, so a change takes effect at once. An invalid file is not
/// sent, and its gateways continue to use their previous definitions.
public struct DefinitionsShelf: Sendable {
  /// Thrown if definitions cannot be sent.
  public struct Fault: Error, Hashable, Sendable {
    public var file: String
    /// The reason, as text for the user.
    public var reason: String

    public init(file: String, reason: String) {
      self.file = file
      self.reason = reason
    }
  }

  /// A file's maximum size in bytes. Gateways do not accept larger files.
  public static let largest = 65_536

  private let path: String
  private let isFolder: Bool
  private let fault: @Sendable ([UInt8]) -> String?

  /// Creates a shelf for the definitions at a path. `fault` checks a set of definitions, and
  /// returns the reason if the set is invalid.
  public init(path: String, fault: @escaping @Sendable ([UInt8]) -> String?) {
    self.path = path
    self.fault = fault
    isFolder = (try? Folder.names(in: path)) != nil
  }

  /// Returns a gateway's own definitions, otherwise the default ones, or `nil` if there are none.
  public func definitions(of gateway: UniqueID) throws(Fault) -> [UInt8]? {
    guard isFolder else { return try read(path) }
    if let own = try read("\(path)/\(gateway).json") { return own }
    return try read("\(path)/default.json")
  }

  /// Checks all definitions. Returns the number of files.
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
      // The upload server must not block, even if the path refers to a pipe.
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
