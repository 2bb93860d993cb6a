public import Sharing
public import Upload

/// The settings for sharing with a fleet: how much, when, and by which broker.
public struct SharingPlan: Hashable, Sendable {
  /// The raw value is the word in the configuration file.
  public enum Share: String, Hashable, Sendable, CaseIterable {
    /// Nothing. Messages that the broker still retains are deleted.
    case none
    /// Its state, but not its position.
    case status
    /// Also its position, rounded.
    case rounded
    /// Also its exact position.
    case exact
  }

  /// The times for sharing the position; the raw value is the word in the configuration file.
  public enum Time: String, Hashable, Sendable, CaseIterable {
    /// Whenever it is known.
    case always
    /// While a session is recorded.
    case session
    /// At certain hours of the local day.
    case hours
  }

  public struct Route: Hashable, Sendable {
    public let broker: BrokerAddress
    let fleet: String
    let gateway: String
    let passwordFile: String?
    let authorityFile: String?
  }

  /// `nil` to share nothing.
  public var broker: BrokerAddress?
  /// `nil` to share nothing.
  public var fleet: String?
  /// `nil` for no password.
  public var passwordFile: String?
  /// Trusted certificates; `nil` for the system's.
  public var authorityFile: String?
  public var share = Share.status
  /// The times for sharing the position.
  public var time = Time.always
  /// The hours for `.hours`; without them the position is shared whenever it is known.
  public var hours: UploadHours?
  /// Metres of movement before a new position is sent.
  public var distance = 10.0
  /// Least seconds between two messages.
  public var interval = 5.0
  /// Seconds for which a message is valid. It is repeated after a third of this time.
  public var validity = 60.0

  /// Shares nothing; all other settings have their defaults.
  public init() {}
}

extension DaemonPlan {
  /// `nil` if the configuration names none.
  public var route: SharingPlan.Route? {
    guard let broker = sharing.broker, let fleet = sharing.fleet else { return nil }
    return SharingPlan.Route(
      broker: broker, fleet: fleet, gateway: gateway, passwordFile: sharing.passwordFile,
      authorityFile: sharing.authorityFile)
  }
}

extension SharingPlan.Route {
  /// The broker and the credentials for it.
  public var settings: BrokerSettings {
    var settings = BrokerSettings(broker)
    settings.authorityFile = authorityFile
    if let passwordFile { settings.readPassword(from: passwordFile) }
    return settings
  }
}
