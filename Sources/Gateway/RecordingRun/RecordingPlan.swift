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

  /// Where bluetoothd is.
  public var bus: BusAddress
  /// Adapters to use, by address; when empty, those that are on.
  public var adapters: [BoardAddress]
  /// Which boards to use.
  public var boards: Boards
  /// Whether the recording fails when one of the boards is missing, instead of starting without it.
  public var requiresAll = false
  /// The sensors of each board.
  public var sensors: [SensorRequest]
  /// How often boards and adapter meet; `nil` to derive it from the number of boards.
  public var pace: LinkPace?
  /// Where positions come from; `nil` to record without.
  public var receiver: PositionSource?
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
  /// Seconds to look for the boards.
  public var scanSeconds: Double
  /// Seconds after which a chunk is sealed although it is not full.
  public var sealSeconds = usualSealSeconds
  /// A quarter of an hour. A chunk of a slow stream holds little then, but no sample waits longer
  /// for its upload.
  public static let usualSealSeconds = 900.0
  /// Seconds of samples that a power cut may cost.
  public var atRiskSeconds = usualAtRiskSeconds
  /// A second: with more, the disk is written less often.
  public static let usualAtRiskSeconds = 1.0
  /// The user's remark on the session.
  public var note: String
  /// The wearer of the boards; empty where the user gave none.
  public var wearer = ""
  /// The user's name for this computer; empty where the user gave none.
  public var gateway = ""
  /// Whether it continues the session of a recorder that was cut off minutes ago.
  public var continuesSessions = false
  /// How sessions begin and end with walking; `nil` where the whole recording is one session.
  public var walking: WalkingSettings?
  /// Hazards that are known before the start, by name, with their intensity.
  public var hazards: [String: Int] = [:]

  /// A plan for samples that are stored.
  public init(
    bus: BusAddress = .system, adapters: [BoardAddress] = [], boards: Boards,
    sensors: [SensorRequest] = RecordingPlan.gait, pace: LinkPace? = nil,
    receiver: PositionSource?, store: String, seconds: Double? = nil, scanSeconds: Double = 15,
    note: String = ""
  ) {
    self.init(
      bus: bus, adapters: adapters, boards: boards, sensors: sensors, pace: pace,
      receiver: receiver,
      destination: .store(store), seconds: seconds, scanSeconds: scanSeconds, note: note)
  }

  /// A plan for samples that are not stored.
  public init(
    bus: BusAddress = .system, adapters: [BoardAddress] = [], boards: Boards,
    sensors: [SensorRequest] = RecordingPlan.gait, pace: LinkPace? = nil,
    receiver: PositionSource? = nil, destination: Destination, seconds: Double? = nil,
    scanSeconds: Double = 15, note: String = ""
  ) {
    self.bus = bus
    self.adapters = adapters
    self.boards = boards
    self.sensors = sensors
    self.pace = pace
    self.receiver = receiver
    self.destination = destination
    self.seconds = seconds
    self.scanSeconds = scanSeconds
    self.note = note
  }

  var radio: Radio.Settings { Radio.Settings(adapters: adapters, shape: .metaWear) }

  /// The sensors for gait research: both motion sensors at 100 Hz, with ranges wide enough for a
  /// heel strike.
  public static let gait = [
    SensorRequest(signal: "acceleration", rate: 100, range: 8),
    SensorRequest(signal: "angular_velocity", rate: 100, range: 2_000),
  ]
}
