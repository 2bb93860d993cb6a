public import MQTT
public import Upload

/// What a gateway tells its fleet of itself, when, and by which broker.
public struct SharingPlan: Equatable, Sendable {
  /// How much it tells.
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

  /// When it tells where it is.
  public enum Time: Equatable, Sendable {
    /// Whenever it knows.
    case always
    /// While a session is recorded.
    case session
    /// At these hours of the local day.
    case hours(UploadHours)
  }

  /// The way to the fleet.
  public struct Route: Equatable, Sendable {
    /// The broker.
    public var broker: BrokerAddress
    /// The file with the password for the broker; `nil` for none.
    public var passwordFile: String?
    /// The file with certificates to trust; `nil` for those of the system.
    public var authorityFile: String?
    /// The name of the fleet.
    public var fleet: String
    /// The name of this gateway in the fleet.
    public var gateway: String

    /// A way without password and with the system's certificates.
    public init(_ broker: BrokerAddress, fleet: String, gateway: String) {
      self.broker = broker
      self.fleet = fleet
      self.gateway = gateway
    }
  }

  /// The way to the fleet.
  public var route: Route
  /// How much it tells.
  public var share = Share.status
  /// When it tells where it is.
  public var time = Time.always
  /// Metres that it has to move before it tells that.
  public var distance = 10.0
  /// Seconds between two messages at least.
  public var interval = 5.0
  /// Seconds for which a message holds. It is repeated after a third of them.
  public var validity = 60.0

  /// A plan with the usual rules.
  public init(_ route: Route) {
    self.route = route
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
