public import Sharing
public import Upload

/// The settings for sharing with a fleet: what to share, when, and through which broker.
public struct SharingPlan: Hashable, Sendable {
  /// The data to share. The raw value is the word in the configuration file.
  public enum Share: String, Hashable, Sendable, CaseIterable {
    /// Share nothing. Messages that the broker still retains are deleted.
    case none
    /// Share the gateway's state, but not its position.
    case status
    /// Share the state and the rounded position.
    case rounded
    /// Share the state and the exact position.
    case exact
  }

  /// The rule for when the position is shared. The raw value is the word in the configuration file.
  public enum Time: String, Hashable, Sendable, CaseIterable {
    /// Share the position whenever it is known.
    case always
    /// Share the position while a session is being recorded.
    case session
    /// Share the position during certain hours of the local day.
    case hours
  }

  public struct Route: Hashable, Sendable {
    public let broker: BrokerAddress
    let fleet: String
    let gateway: String
    let passwordFile: String?
    let authorityFile: String?
  }

  /// The broker's address, or `nil` to share nothing.
  public var broker: BrokerAddress?
  /// The fleet's name, or `nil` to share nothing.
  public var fleet: String?
  /// The file with the broker's password, or `nil` to connect without a password.
  public var passwordFile: String?
  /// The file with the trusted certificates, or `nil` to use the system's certificates.
  public var authorityFile: String?
  public var share = Share.status
  /// Whether the position is shared at all.
  var sharesPosition: Bool { share == .rounded || share == .exact }
  public var time = Time.always
  /// The hours, in local time, during which the position is shared if `time` is `.hours`. Without
  /// hours, the position is shared whenever it is known.
  public var hours: UploadHours?
  /// Metres that the gateway must move before a new position is sent.
  public var distance = 10.0
  /// The minimum time between messages, in seconds.
  public var interval = 5.0
  /// Seconds for which a message remains valid. The gateway sends the message again after a third
  /// of this time.
  public var validity = 60.0

  /// Creates a plan that shares nothing.
  public init() {}
}

extension DaemonPlan {
  /// The fleet and its broker, or `nil` if the configuration does not name both.
  public var route: SharingPlan.Route? {
    guard let broker = sharing.broker, let fleet = sharing.fleet else { return nil }
    return SharingPlan.Route(
      broker: broker, fleet: fleet, gateway: gateway, passwordFile: sharing.passwordFile,
      authorityFile: sharing.authorityFile)
  }
}

extension SharingPlan.Route {
  /// The broker's address and credentials.
  public var settings: BrokerSettings {
    var settings = BrokerSettings(broker)
    settings.authorityFile = authorityFile
    if let passwordFile { settings.readPassword(from: passwordFile) }
    return settings
  }
}
