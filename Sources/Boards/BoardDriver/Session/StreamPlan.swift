public import MetaWearProtocol

/// The requested streams, checked against a board's sensors: one planned stream per request.
struct StreamPlan {
  /// A stream before the board has given out ids.
  struct Stream {
    var setup: SensorSetup
    var layout: StreamLayout.Kind
    /// Whether the user asked for this layout, which is then not replaced.
    var isForced: Bool
  }

  /// Packets a second that a link is assumed to carry.
  ///
  /// From the vendor's figures: two sensors at 100 Hz in packets of one or two samples are at the
  /// practical limit. 400 Hz in packets of three is not beyond it.
  static let packetBudget = 150.0

  var streams: [Stream] = []
  /// Remarks for the user about the choice.
  var remarks: [String] = []

  /// Refuses a signal that the board does not have, and names the available ones.
  init(_ requests: [SensorRequest], on modules: ModuleTable) throws(BoardFailure) {
    let sensors = modules.sensors
    let canProcess = modules.has(.dataProcessor, revision: 2)
    for request in requests {
      guard let sensor = sensors.first(where: { $0.signal == request.signal }) else {
        throw Self.missing(request.signal, among: sensors)
      }
      let setup: SensorSetup
      do throws(SettingError) {
        setup = try sensor.setup(
          rate: request.rate ?? sensor.usualRate, range: request.range)
      } catch {
        throw BoardFailure(error)
      }
      if streams.contains(where: { $0.setup.signal == request.signal }) {
        throw BoardFailure(
          "\(request.signal) is requested twice", remedy: "request each signal once")
      }
      if let other = streams.first(where: { !$0.setup.isCompatible(with: setup) }) {
        throw Self.conflict(setup, other.setup)
      }
      let possible = StreamLayout.Kind.allCases.filter {
        $0.fits(setup.samples) && (canProcess || !$0.needsProcessor)
      }
      if let layout = request.layout, !possible.contains(layout) {
        throw Self.impossible(layout, for: setup, possible: possible, canProcess: canProcess)
      }
      let best = Self.preferred.first { possible.contains($0) } ?? .single
      streams.append(
        Stream(
          setup: setup, layout: request.layout ?? best, isForced: request.layout != nil))
    }
    fitBudget()
  }

  /// Layouts in order of preference: known loss first, then fewer packets.
  private static let preferred: [StreamLayout.Kind] = [.countedPair, .counted, .packed, .single]

  /// Packets a second of all streams.
  private var packetRate: Double {
    streams.reduce(0) { $0 + $1.setup.rate / Double($1.layout.samplesPerPacket) }
  }

  /// Gives up counting, fastest stream first, until the link can carry all streams.
  private mutating func fitBudget() {
    while packetRate > Self.packetBudget {
      let candidates = streams.indices.filter {
        !streams[$0].isForced && streams[$0].layout != .packed
          && StreamLayout.Kind.packed.fits(streams[$0].setup.samples)
      }
      let rates = streams.map(\.setup.rate)
      guard let fastest = candidates.max(by: { rates[$0] < rates[$1] }) else {
        remarks.append(
          "\(Int(packetRate.rounded())) packets a second are more than a link is known to carry")
        return
      }
      streams[fastest].layout = .packed
    }
  }

  // MARK: Impossible requests

  private static func missing(_ signal: String, among sensors: [any Sensor]) -> BoardFailure {
    BoardFailure(
      "the board has no sensor for \(signal)",
      remedy: "choose from: " + sensors.map(\.signal).joined(separator: ", "))
  }

  private static func conflict(_ setup: SensorSetup, _ other: SensorSetup) -> BoardFailure {
    let (one, two) = (other.signal, setup.signal)
    return setup.owner == other.owner
      ? BoardFailure(
        "\(one) and \(two) come from one chip, which has one rate at a time",
        remedy: "request both at the same rate")
      : BoardFailure(
        "\(one) and \(two) cannot be recorded together: the sensor fusion sets up its own sensors",
        remedy: "leave one of them out; the fusion offers the sensors' values as corrected_…")
  }

  private static func impossible(
    _ layout: StreamLayout.Kind, for setup: SensorSetup, possible: [StreamLayout.Kind],
    canProcess: Bool
  ) -> BoardFailure {
    let reason =
      layout.needsProcessor && !canProcess
      ? "its data processors are too old"
      : "its sensor has no such layout"
    return BoardFailure(
      "the board cannot send \(setup.signal) as \(layout.rawValue): \(reason)",
      remedy: "choose from: " + possible.map(\.rawValue).joined(separator: ", "))
  }
}

extension BoardFailure {
  /// A setting that the board does not have; the error's first line is the failure, the second the
  /// remedy.
  init(_ error: SettingError) {
    let lines = error.description.split(separator: "\n", maxSplits: 1).map(String.init)
    self.init(lines[0], remedy: lines.count > 1 ? String(lines[1].drop { $0 == " " }) : "")
  }
}

extension Sensor {
  /// The rate used if none is requested: the one nearest to the usual rate for motion. A signal
  /// that must be polled changes slowly.
  fileprivate var usualRate: Double {
    let wanted = isStreaming ? 100.0 : 1.0
    return rates.min { ($0 - wanted).magnitude < ($1 - wanted).magnitude } ?? wanted
  }
}

extension ModuleTable {
  /// The reason a board with these modules cannot stream these sensors together; `nil` if it can.
  public func obstacle(to requests: [SensorRequest]) -> BoardFailure? {
    do throws(BoardFailure) {
      _ = try StreamPlan(requests, on: self)
      return nil
    } catch {
      return error
    }
  }
}
