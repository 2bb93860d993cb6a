/// The address of a broker and the credentials for signing in.
public struct BrokerSettings: Sendable {
  /// The address of the broker, or of the brokers in a cluster.
  public var address: BrokerAddress
  /// A file of certificate authorities to trust; `nil` to trust the system's authorities.
  public var authorityFile: String?
  /// Reads the password before each connection; `nil` if there is no password.
  public var password: (@Sendable () throws(BrokerFailure) -> String)?

  /// Creates settings that use no password and trust the system's certificate authorities.
  public init(_ address: BrokerAddress) {
    self.address = address
  }
}
