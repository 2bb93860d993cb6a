/// A broker's address, and the credentials for signing in.
public struct BrokerSettings: Sendable {
  public var address: BrokerAddress
  /// A file of certificate authorities to trust; `nil` to trust the system's authorities.
  public var authorityFile: String?
  /// Reads the password before each connection; `nil` if there is no password.
  public var password: (@Sendable () throws(BrokerFailure) -> String)?

  public init(_ address: BrokerAddress) {
    self.address = address
  }
}
