internal import BlueZ
public import BoardDriver
public import DBus
public import Positioning
public import Values

/// The plan for a recording: boards, sensors, position source and store.
public struct RecordingPlan: Sendable {
  public enum Boards: Sendable {
    /// Record the first boards that are heard, up to this number.
    case any(count: Int)
    /// Record all of these boards.
    case addresses([BoardAddress])

    /// The boards' addresses. Empty if the plan specifies only a number of boards.
    public var addresses: [BoardAddress] {
      if case .addresses(let addresses) = self { addresses } else { [] }
    }

    public var count: Int {
      switch self {
      case .any(let count): count
      case .addresses(let addresses): addresses.count
      }
    }
  }

  /// Whether samples are stored or only shown.
  public enum Destination: Sendable {
    case store(String)
    /// Samples go only to this closure, which the recorder thread calls each time it takes samples
    /// from the ring.
    ///
    /// Until the closure returns, samples wait in the ring. Samples that do not fit there are lost
    /// and counted.
    case live(@Sendable ([LiveSample]) -> Void)
  }

  public var settings: RecordingSettings
  public var boards: Boards
  /// Whether the recording fails if a board is missing, instead of starting without it.
  public var requiresAll = false
  /// Path of the file that stores the receivers' detected baud rates, or `nil` to store none.
  public var speedMemory: String?
  public var destination: Destination
  /// The user's names for boards, where they differ from the advertised names.
  public var names: [BoardAddress: String] = [:]
  /// The boards' positions on the body, where known.
  public var placements: [BoardAddress: String] = [:]
  /// Seconds to record, counted from the first sample, or `nil` to record until stopped.
  public var seconds: Double?
  /// Whether the recording continues the session of a recorder that was interrupted minutes ago.
  public var continuesSessions = false
  /// The settings for sessions that start and stop with walking, or `nil` if the whole recording is
  /// one session.
  public var walking: WalkingSettings?

  public init(
    _ settings: RecordingSettings, boards: Boards, destination: Destination, seconds: Double? = nil
  ) {
    self.settings = settings
    self.boards = boards
    self.destination = destination
    self.seconds = seconds
  }

  /// Creates a plan that stores samples. Settings that are not parameters have their default
  /// values.
  public init(
    bus: BusAddress = .system, adapters: [BoardAddress] = [], boards: Boards,
    sensors: [SensorRequest] = RecordingPlan.gait, receiver: PositionSource?, store: String,
    seconds: Double? = nil, scanSeconds: Double = 15, note: String? = nil
  ) {
    var settings = RecordingSettings()
    settings.bus = bus
    settings.adapters = adapters
    settings.sensors = sensors
    settings.receiver = receiver
    settings.scanSeconds = scanSeconds
    settings.note = note
    self.init(settings, boards: boards, destination: .store(store), seconds: seconds)
  }

  var radio: Radio.Settings { Radio.Settings(adapters: settings.adapters, shape: .metaWear) }

  /// The sensors for gait research: both motion sensors at 100 Hz, with ranges wide enough to
  /// capture a heel strike.
  public static let gait = [
    SensorRequest(signal: "acceleration", rate: 100, range: 8),
    SensorRequest(signal: "angular_velocity", rate: 100, range: 2_000),
  ]
}
