/// The access key for an S3 service.
public struct ObjectStoreKey: Hashable, Sendable, CustomStringConvertible {
  public var id: String
  public var secret: String
  /// The token of a temporary key; `nil` for a permanent one.
  public var session: String?

  public init(id: String, secret: String, session: String? = nil) {
    self.id = id
    self.secret = secret
    self.session = session
  }

  /// The id only, not the secret.
  public var description: String { id }

  /// Reads the variables of Amazon's own tools; `nil` if they are not set.
  public init?(environment: [String: String]) {
    self.init { environment["AWS_" + $0.uppercased()] }
  }

  /// Reads a file in the format of Amazon's own tools; `nil` without a key. Of several profiles it
  /// takes `[default]`, which may have no heading.
  public init?(file text: String) {
    var values: [String: String] = [:]
    var isDefault = true
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1).map { Self.trimmed($0) }
      if line.first == "[" {
        isDefault = Self.trimmed(line) == "[default]"
      } else if isDefault, parts.count == 2, line.first != "#" {
        values[parts[0]] = parts[1]
      }
    }
    self.init { values["aws_" + $0] }
  }

  private init?(_ value: (String) -> String?) {
    func isPlain(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
    guard let id = value("access_key_id"), isPlain(id), !id.utf8.contains(0x3a),
      let secret = value("secret_access_key"), isPlain(secret)
    else { return nil }
    let session = value("session_token").flatMap { $0.isEmpty ? nil : $0 }
    guard session.map(isPlain) ?? true else { return nil }
    self.init(id: id, secret: secret, session: session)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return String(text)
  }
}
