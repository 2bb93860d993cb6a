internal import BlueZ
public import BoardDriver
public import DBus
public import Positioning
public import Values

/// A recording to be made: boards, sensors, position source, store. Checked before anything is
/// opened.
public struct RecordingPlan: Sendable {
  /// Which boards to use.
  public enum Boards: Sendable {
    /// The first boards that are heard, up to this number.
    case any(count: Int)
    /// All of these boards.
    case addresses([BoardAddress])

    /// The addresses of boards that are named.
    public var addresses: [BoardAddress] {
      if case .addresses(let addresses) = self { addresses } else { [] }
    }

    /// The number of boards that the plan asks for.
    public var count: Int {
      switch self {
      case .any(let count): count
      case .addresses(let addresses): addresses.count
      }
    }
  }

  /// Where samples go.
  public enum Destination: Sendable {
    /// Into the store at this path.
    case store(String)
    /// To this closure and nowhere else: the recorder thread calls it with the samples of a round.
    ///
    /// Until the closure returns, samples wait in the ring; samples without room there are counted.
    case live(@Sendable ([LiveSample]) -> Void)
  }

  /// What is recorded, and how.
  public var settings: RecordingSettings
  /// Which boards to use.
  public var boards: Boards
  /// Whether the recording fails when one of the boards is missing, instead of starting without it.
  public var requiresAll = false
  /// Path of the file that keeps the speeds of receivers; `nil` to keep none.
  public var speedMemory: String?
  /// Where samples go.
  public var destination: Destination
  /// The user's names for boards, where they differ from the advertised names.
  public var names: [BoardAddress: String] = [:]
  /// Where boards are worn; boards without a known place are absent.
  public var placements: [BoardAddress: String] = [:]
  /// Seconds of streaming, counted from the first sample; `nil` until stopped.
  public var seconds: Double?
  /// Whether it continues the session of a recorder that was cut off minutes ago.
  public var continuesSessions = false
  /// How sessions begin and end with walking; `nil` where the whole recording is one session.
  public var walking: WalkingSettings?

  /// A plan by settings.
  public init(
    _ settings: RecordingSettings, boards: Boards, destination: Destination, seconds: Double? = nil
  ) {
    self.settings = settings
    self.boards = boards
    self.destination = destination
    self.seconds = seconds
  }

  /// A plan for samples that are stored, where the rest of the settings is as usual.
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
