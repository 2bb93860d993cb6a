internal import UploadProtocol
internal import Values

/// Converts settings to and from their stored form: one string for the place, which identifies a
/// destination, and another for all other settings.
extension DestinationSettings {
  /// The reason stored settings cannot be read.
  public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// The destination's kind and address, on one line. If these are equal for two settings, both
  /// refer to the same destination.
  public var placeText: String { place.text(of: account) }

  /// All settings except the place, as JSON. Default values are omitted.
  public var text: String {
    let file: JSONValue.Member =
      switch credentials {
      case .none: .init("token_file", .null)
      case .token(let file): .init("token_file", file)
      case .key(let file): .init("key_file", file)
      case .login(let file): .init("login_file", file)
      }
    return JSONValue.known([
      .init("format", 1), file, .init("ca_file", authorityFile),
      .init("certificate_file", certificateFile), .init("certificate_key_file", certificateKeyFile),
      .init("proxy", proxy), .init("compress", compresses ? true : nil),
      .init("bytes_per_second", bytesPerSecond), .init("parallel", parallel),
      .init("newest_first", newestFirst ? true : nil), .init("hours", hours.map { "\($0)" }),
    ]).text
  }

  /// Parses settings from the two strings in the store. Unknown members are ignored. Throws if a
  /// member has an invalid type.
  public init(placeText: String, text: String) throws(Malformed) {
    let (place, account) = try Place.parsed(placeText)
    self.init(place)
    self.account = account
    guard let json = try? JSON(parsing: Array(text.utf8)), case .object = json
    else { throw Malformed(description: "its settings are not JSON") }
    if let format = json["format"], format.integer != 1 {
      throw Malformed(description: "its settings were written by a later version of Footbridge")
    }
    func member<Value>(_ name: String, _ read: (JSON) -> Value?) throws(Malformed) -> Value? {
      guard let member = json[name] else { return nil }
      guard let value = read(member) else {
        throw Malformed(description: "its setting '\(name)' is invalid")
      }
      return value
    }
    func positive(_ json: JSON) -> Int? { json.integer.flatMap { $0 > 0 ? $0 : nil } }
    if let file = try member("token_file", \.text) { credentials = .token(file: file) }
    if let file = try member("key_file", \.text) { credentials = .key(file: file) }
    if let file = try member("login_file", \.text) { credentials = .login(file: file) }
    authorityFile = try member("ca_file", \.text)
    certificateFile = try member("certificate_file", \.text)
    certificateKeyFile = try member("certificate_key_file", \.text)
    proxy = try member("proxy", \.text)
    compresses = try member("compress", \.bool) ?? false
    bytesPerSecond = try member("bytes_per_second", positive)
    parallel = try member("parallel", positive)
    newestFirst = try member("newest_first", \.bool) ?? false
    hours = try member("hours") { $0.text.flatMap(UploadHours.init) }
  }
}
