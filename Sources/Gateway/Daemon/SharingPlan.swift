public import Sharing
public import Upload

/// What a gateway tells its fleet of itself, when, and by which broker.
public struct SharingPlan: Hashable, Sendable {
  /// How much it tells; the raw value is the word in the configuration file.
  public enum Share: String, Hashable, Sendable, CaseIterable {
    /// Nothing. Whatever the broker still keeps is deleted.
    case none
    /// What it does, and not where it is.
    case status
    /// Also its position, rounded.
    case rounded
    /// Also its position, as the receiver has it.
    case exact
  }

  /// When it tells where it is; the raw value is the word in the configuration file.
  public enum Time: String, Hashable, Sendable, CaseIterable {
    /// Whenever it knows.
    case always
    /// While a session is recorded.
    case session
    /// At certain hours of the local day.
    case hours
  }

  /// The way to the fleet.
  public struct Route: Hashable, Sendable {
    /// The broker.
    public let broker: BrokerAddress
    /// The name of the fleet.
    let fleet: String
    /// The name of this gateway in the fleet.
    let gateway: String
    let passwordFile: String?
    let authorityFile: String?
  }

  /// The broker; `nil` to tell nothing.
  public var broker: BrokerAddress?
  /// The name of the fleet; `nil` to tell nothing.
  public var fleet: String?
  /// The file with the password for the broker; `nil` for none.
  public var passwordFile: String?
  /// The file with certificates to trust; `nil` for those of the system.
  public var authorityFile: String?
  /// How much it tells.
  public var share = Share.status
  /// When it tells where it is.
  public var time = Time.always
  /// The hours for that; without them it tells whenever it knows.
  public var hours: UploadHours?
  /// Metres that it has to move before it tells that.
  public var distance = 10.0
  /// Seconds between two messages at least.
  public var interval = 5.0
  /// Seconds for which a message holds. It is repeated after a third of them.
  public var validity = 60.0

  /// A plan to tell nothing, with the usual rules.
  public init() {}
}

extension DaemonPlan {
  /// The way to the fleet; `nil` where the configuration names none.
  public var route: SharingPlan.Route? {
    guard let broker = sharing.broker, let fleet = sharing.fleet else { return nil }
    return SharingPlan.Route(
      broker: broker, fleet: fleet, gateway: gateway, passwordFile: sharing.passwordFile,
      authorityFile: sharing.authorityFile)
  }
}

extension SharingPlan.Route {
  /// The broker, and how to sign in there.
  public var settings: BrokerSettings {
    var settings = BrokerSettings(broker)
    settings.authorityFile = authorityFile
    if let passwordFile { settings.readPassword(from: passwordFile) }
    return settings
  }
}
