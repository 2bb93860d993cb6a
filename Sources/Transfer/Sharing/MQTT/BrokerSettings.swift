/// A broker and how to sign in to it.
public struct BrokerSettings: Sendable {
  /// The broker, or the brokers of a cluster.
  public var address: BrokerAddress
  /// A file of certificate authorities to trust; `nil` for the system's.
  public var authorityFile: String?
  /// Reads the password at each connection; `nil` if there is none.
  public var password: (@Sendable () throws(BrokerFailure) -> String)?

  /// Without a password, and with the system's authorities.
  public init(_ address: BrokerAddress) {
    self.address = address
  }
}
