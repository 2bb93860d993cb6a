/// The address of an MQTT broker, or of several brokers in the same cluster:
/// `mqtts://trolley@broker1.example.org,broker2.example.org`.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
  public struct Host: Hashable, Sendable, CustomStringConvertible {
    /// The host name, or the IP address without brackets.
    public var name: String
    public var port: UInt16

    public init(name: String, port: UInt16) {
      self.name = name
      self.port = port
    }

    /// The name and port, as written in an address.
    public var description: String {
      "\(name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name):\(port)"
    }
  }

  public let isEncrypted: Bool
  /// The user to sign in as; `nil` for an anonymous connection.
  public let user: String?
  /// Whether the address contained a password. The password is discarded, because other users of
  /// this computer could read it in the address.
  public let namesPassword: Bool
  /// The brokers in the address. All of them deliver the same messages.
  public let hosts: [Host]

  public init?(_ text: String) {
    guard let scheme = ["mqtts://", "mqtt://"].first(where: text.lowercased().hasPrefix) else {
      return nil
    }
    isEncrypted = scheme == "mqtts://"
    var rest = text.dropFirst(scheme.utf8.count)
    if rest.last == "/" { rest = rest.dropLast() }
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first, !name.isEmpty else { return nil }
      user = String(name)
      namesPassword = parts.count > 1
      rest = rest[rest.index(after: at)...]
    } else {
      user = nil
      namesPassword = false
    }
    let standard: UInt16 = isEncrypted ? 8_883 : 1_883
    var hosts: [Host] = []
    for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
      guard let host = Self.host(part, standard: standard) else { return nil }
      hosts.append(host)
    }
    self.hosts = hosts
  }

  private static func host(_ text: Substring, standard: UInt16) -> Host? {
    var name = text
    var port: Substring?
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      name = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      if !rest.isEmpty {
        guard rest.first == ":" else { return nil }
        port = rest.dropFirst()
      }
    } else if let colon = text.firstIndex(of: ":") {
      name = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    let isPlain = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || "-._%:".utf8.contains(byte)
    }
    guard !name.isEmpty, isPlain else { return nil }
    guard let port else { return Host(name: String(name), port: standard) }
    guard let number = UInt16(port), number > 0 else { return nil }
    return Host(name: String(name), port: number)
  }

  /// The address without a password, for display.
  public var description: String {
    (isEncrypted ? "mqtts://" : "mqtt://") + (user.map { "\($0)@" } ?? "")
      + hosts.map(\.description).joined(separator: ",")
  }
}
