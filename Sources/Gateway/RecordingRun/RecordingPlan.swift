internal import BlueZ
public import BoardDriver
public import DBus
public import Positioning
public import Values

/// A recording to be made: boards, sensors, position source and store. It is checked before
/// anything is opened.
public struct RecordingPlan: Sendable {
  public enum Boards: Sendable {
    /// The first boards that are heard, up to this number.
    case any(count: Int)
    /// All of these boards.
    case addresses([BoardAddress])

    /// Empty for boards without names.
    public var addresses: [BoardAddress] {
      if case .addresses(let addresses) = self { addresses } else { [] }
    }

    /// The number of boards to record.
    public var count: Int {
      switch self {
      case .any(let count): count
      case .addresses(let addresses): addresses.count
      }
    }
  }

  /// The destination of samples.
  public enum Destination: Sendable {
    case store(String)
    /// To this closure only. The recorder thread calls it with the samples of a round.
    ///
    /// Until the closure returns, samples wait in the ring. Samples that find no room there are
    /// counted.
    case live(@Sendable ([LiveSample]) -> Void)
  }

  public var settings: RecordingSettings
  public var boards: Boards
  /// Whether the recording fails if a board is missing, instead of starting without it.
  public var requiresAll = false
  /// Path of the file that remembers the speeds of receivers; `nil` to remember none.
  public var speedMemory: String?
  public var destination: Destination
  /// The user's names for boards that differ from the advertised names.
  public var names: [BoardAddress: String] = [:]
  /// The boards' places on the body; absent if unknown.
  public var placements: [BoardAddress: String] = [:]
  /// Seconds of streaming from the first sample on; `nil` until stopped.
  public var seconds: Double?
  /// Whether it continues the session of a recorder interrupted minutes ago.
  public var continuesSessions = false
  /// The begin and end of sessions with walking; `nil` if the whole recording is one session.
  public var walking: WalkingSettings?

  public init(
    _ settings: RecordingSettings, boards: Boards, destination: Destination, seconds: Double? = nil
  ) {
    self.settings = settings
    self.boards = boards
    self.destination = destination
    self.seconds = seconds
  }

  /// A plan for stored samples with the usual settings.
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

  /// The sensors for gait research: both motion sensors at 100 Hz, with ranges wide enough for a
  /// heel strike.
  public static let gait = [
    SensorRequest(signal: "acceleration", rate: 100, range: 8),
    SensorRequest(signal: "angular_velocity", rate: 100, range: 2_000),
  ]
}
