public import MetaWearProtocol

/// Plans the requested streams after checking that a board's sensors can provide them. The plan
/// contains one stream per request.
struct StreamPlan {
  /// A planned stream. The board has not yet assigned any ids to it.
  struct Stream {
    var setup: SensorSetup
    var layout: StreamLayout.Kind
    /// Whether the user requested this layout. If so, the layout must not be replaced.
    var isForced: Bool
  }

  /// Maximum number of packets per second that a link is assumed to deliver.
  ///
  /// The limit is based on the vendor's figures. Two sensors at 100 Hz with one or two samples per
  /// packet reach the practical limit. A rate of 400 Hz with three samples per packet still works.
  static let packetBudget = 150.0

  var streams: [Stream] = []
  /// Messages for the user about the plan.
  var remarks: [String] = []

  /// Throws if the board cannot provide a requested stream, or if requests conflict.
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

  /// Layouts in order of preference. Layouts with exact loss accounting come first, followed by
  /// layouts with fewer packets.
  private static let preferred: [StreamLayout.Kind] = [.countedPair, .counted, .packed, .single]

  /// Total number of packets per second that the streams need.
  private var packetRate: Double {
    streams.reduce(0) { $0 + $1.setup.rate / Double($1.layout.samplesPerPacket) }
  }

  /// Switches streams to the packed layout, fastest stream first, until the link can deliver all of
  /// them. The packed layout has no counts.
  private mutating func fitBudget() {
    while packetRate > Self.packetBudget {
      let candidates = streams.indices.filter {
        !streams[$0].isForced && streams[$0].layout != .packed
          && StreamLayout.Kind.packed.fits(streams[$0].setup.samples)
      }
      let rates = streams.map(\.setup.rate)
      guard let fastest = candidates.max(by: { rates[$0] < rates[$1] }) else {
        remarks.append(
          "\(Int(packetRate.rounded())) packets per second may be more than a link can carry")
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
        "\(one) and \(two) come from the same chip, which supports only one rate at a time",
        remedy: "request both at the same rate")
      : BoardFailure(
        "\(one) and \(two) cannot be recorded together: sensor fusion configures its own sensors",
        remedy: "leave one of them out; sensor fusion offers the sensors' values as corrected_…")
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
  /// The error's first line becomes the message, and the second line the remedy.
  init(_ error: SettingError) {
    let lines = error.description.split(separator: "\n", maxSplits: 1).map(String.init)
    self.init(lines[0], remedy: lines.count > 1 ? String(lines[1].drop { $0 == " " }) : "")
  }
}

extension Sensor {
  /// The default rate, which is the supported rate nearest to 100 Hz. A polled signal changes
  /// slowly, so its default is the rate nearest to 1 Hz.
  fileprivate var usualRate: Double {
    let wanted = isStreaming ? 100.0 : 1.0
    return rates.min { ($0 - wanted).magnitude < ($1 - wanted).magnitude } ?? wanted
  }
}

extension ModuleTable {
  /// Returns the reason a board with these modules cannot stream these sensors together, or `nil`
  /// if the board can stream them.
  public func obstacle(to requests: [SensorRequest]) -> BoardFailure? {
    do throws(BoardFailure) {
      _ = try StreamPlan(requests, on: self)
      return nil
    } catch {
      return error
    }
  }
}
