/// The access key for an S3 service.
public struct ObjectStoreKey: Hashable, Sendable, CustomStringConvertible {
  public var id: String
  public var secret: String
  /// The session token of a temporary key; `nil` for a permanent key.
  public var session: String?

  public init(id: String, secret: String, session: String? = nil) {
    self.id = id
    self.secret = secret
    self.session = session
  }

  /// Shows only the key's id, to keep the secret out of logs.
  public var description: String { id }

  /// Reads the key from the environment variables that the AWS tools use. Returns `nil` if they are
  /// not set.
  public init?(environment: [String: String]) {
    self.init { environment["AWS_" + $0.uppercased()] }
  }

  /// Reads the key from a credentials file in the AWS tools' format. Returns `nil` if the file
  /// contains no key. If the file has several profiles, `[default]` is used. That profile's heading
  /// is optional.
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
