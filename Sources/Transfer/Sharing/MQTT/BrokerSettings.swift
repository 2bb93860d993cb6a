/// A broker, and how to sign in there.
public struct BrokerSettings: Sendable {
  /// The broker, or those of a cluster.
  public var address: BrokerAddress
  /// A file with the certificates of authorities to trust; `nil` for those of the system.
  public var authorityFile: String?
  /// Reads the password, at each connection; `nil` where there is none.
  public var password: (@Sendable () throws(BrokerFailure) -> String)?

  /// A broker without a password, and the system's authorities.
  public init(_ address: BrokerAddress) {
    self.address = address
  }
}
