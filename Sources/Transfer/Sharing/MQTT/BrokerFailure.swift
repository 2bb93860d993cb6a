public import Values

/// Why there is no connection to a broker.
public struct BrokerFailure: Remediable, Equatable {
  /// The failure, with the broker's name.
  public var reason: String
  /// The remedy, for a person.
  public var remedy: String

  /// The failure, with the broker's name.
  public var message: String { reason }

  /// A failure with its remedy.
  public init(_ reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
  }

  /// The failure of a host that gave this answer to a connection (MQTT 3.1.1, section 3.2.2.3).
  static func refused(by host: BrokerAddress.Host, _ answer: Int) -> BrokerFailure {
    switch answer {
    case 4, 5:
      BrokerFailure(
        "the broker \(host) refuses this user",
        remedy: "see user and password here, and those that the broker knows")
    case 3:
      BrokerFailure("the broker \(host) is not ready", remedy: "see the log of the broker")
    default:
      BrokerFailure(
        "the broker \(host) refuses the connection (\(answer))",
        remedy: "see that it speaks MQTT 3.1.1, and what its log says")
    }
  }

  static func unreachable(_ host: BrokerAddress.Host, _ why: String) -> BrokerFailure {
    BrokerFailure(
      "the broker \(host) cannot be reached: \(why)",
      remedy: "see that it runs, that its address is right, and that the network is there")
  }

  static func untrusted(_ host: BrokerAddress.Host) -> BrokerFailure {
    BrokerFailure(
      "the broker \(host) and this computer found no encryption in which they trust",
      remedy: "see the certificate of the broker: its name and its date, and that its authority "
        + "is the one named here")
  }

  static func silent(_ host: BrokerAddress.Host) -> BrokerFailure {
    BrokerFailure("the broker \(host) does not answer", remedy: "see the network and the broker")
  }

  static func lost(_ host: BrokerAddress.Host) -> BrokerFailure {
    BrokerFailure(
      "the broker \(host) ended the connection",
      remedy: "see the log of the broker; if that goes on, see the rights of this user there")
  }
}
