public import Values

/// The reason the broker is not connected.
public struct BrokerFailure: Remediable, Equatable {
  /// The reason as text for people, usually with the broker's name.
  public var reason: String
  public var remedy: String

  public var message: String { reason }

  public init(_ reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
  }

  /// Returns the failure for a connection that a host rejected with this return code (MQTT 3.1.1,
  /// section 3.2.2.3).
  static func refused(by host: BrokerAddress.Host, _ answer: Int) -> BrokerFailure {
    switch answer {
    case 4, 5:
      BrokerFailure(
        "the broker \(host) rejected the user name or the password",
        remedy: "check the user name and the password on this computer and at the broker")
    case 3:
      BrokerFailure("the broker \(host) is not ready", remedy: "see the broker's log")
    default:
      BrokerFailure(
        "the broker \(host) rejected the connection (\(answer))",
        remedy: "check that it speaks MQTT 3.1.1, and see its log")
    }
  }

  static func unreachable(_ host: BrokerAddress.Host, _ why: String) -> BrokerFailure {
    BrokerFailure(
      "cannot reach the broker \(host): \(why)",
      remedy: "check that the broker is running, its address is correct and the network works")
  }

  static func untrusted(_ host: BrokerAddress.Host) -> BrokerFailure {
    BrokerFailure(
      "the broker \(host) and this computer could not establish a trusted TLS connection",
      remedy: "check the name and the dates in the broker's certificate, and that the authority "
        + "configured here signed it")
  }

  static func silent(_ host: BrokerAddress.Host) -> BrokerFailure {
    BrokerFailure("the broker \(host) does not respond", remedy: "check the network and the broker")
  }

  static func lost(_ host: BrokerAddress.Host) -> BrokerFailure {
    BrokerFailure(
      "the broker \(host) closed the connection",
      remedy: "see the broker's log; if this happens again, check this user's rights there")
  }
}
