internal import Gateway
internal import Values

/// One fault of a soak, as the status showed it: a value that is fed with each status.
struct SoakObservation: Sendable {
  /// Seconds for which a gateway may record nothing, and in which it must recover after the fault.
  static let longestPause = 60.0

  let fault: SoakFault
  /// Seconds after which the status reported it; `nil` if it never did.
  private(set) var namedAfter: Double?
  /// The status's words for it, and its remedy.
  private(set) var words = ""
  private(set) var remedy = ""
  /// Seconds from the end of the fault until everything worked again; `nil` if it never did.
  private(set) var wellAfter: Double?
  /// The longest time without a sample of any board.
  private(set) var longestPause = 0.0

  private let destination: String
  private let begun: Double
  /// Earlier troubles, which do not report this fault.
  private let earlier: Set<String>
  private var cured: Double?
  private var progress: (session: UniqueID?, samples: UInt64, time: Double)

  /// A fault that begins at a time, in seconds of any clock; `status` is the last one before it.
  init(_ fault: SoakFault, destination: String, at time: Double, _ status: GatewayStatus) {
    self.fault = fault
    self.destination = destination
    begun = time
    earlier = Set(status.troubles.map(Self.words))
    progress = (status.recording.session, status.received, time)
  }

  /// Notes that the fault is over.
  mutating func cure(at time: Double) { cured = time }

  /// Whether there is nothing left to observe.
  var isOver: Bool { cured != nil && wellAfter != nil }

  /// Notes the status at a time.
  mutating func note(_ status: GatewayStatus, at time: Double) {
    if status.received > 0,
      status.received != progress.samples || status.recording.session != progress.session
    {
      progress = (status.recording.session, status.received, time)
    }
    longestPause = max(longestPause, time - progress.time)
    let subjects = fault.subjects(destination: destination)
    let trouble = status.troubles.first {
      subjects.contains($0.subject) && !earlier.contains(Self.words($0))
    }
    let away = status.boards.first { $0.phase != .streaming }
    if namedAfter == nil {
      if let trouble {
        (words, remedy) = (Self.words(trouble), trouble.remedy)
        namedAfter = time - begun
      } else if subjects.isEmpty, let away {
        (words, remedy) = ("\(away.name): \(away.phase.rawValue)", "none is needed")
        namedAfter = time - begun
      }
    }
    guard let cured, time >= cured, wellAfter == nil, time > begun else { return }
    let isWell = status.works && trouble == nil && away == nil && status.received > 0
    if isWell, namedAfter != nil || time - begun >= fault.namingSeconds { wellAfter = time - cured }
  }

  /// The limits that it violated, in words.
  var violations: [String] {
    var broken: [String] = []
    if let namedAfter {
      if namedAfter > fault.namingSeconds {
        broken.append("reported after \(Self.seconds(namedAfter)) s")
      }
      if remedy.isEmpty { broken.append("reported without a remedy") }
    } else {
      broken.append("never reported")
    }
    if longestPause > Self.longestPause {
      broken.append("nothing recorded for \(Self.seconds(longestPause)) s")
    }
    if wellAfter.map({ $0 > Self.longestPause }) ?? true {
      broken.append(
        "not recovered " + (wellAfter.map { "for \(Self.seconds($0)) s" } ?? "until the next"))
    }
    return broken
  }

  /// Its row in the report.
  var row: [String] {
    [
      fault.rawValue, namedAfter.map { Self.seconds($0) } ?? "never",
      wellAfter.map { Self.seconds($0) } ?? "never", Self.seconds(longestPause), words,
      remedy.split(separator: "\n").first.map(String.init) ?? "",
    ]
  }

  private static func words(_ trouble: GatewayStatus.Trouble) -> String {
    "\(trouble.subject): \(trouble.text)"
  }

  /// Seconds with one decimal.
  static func seconds(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
}

extension GatewayStatus {
  /// Samples of the current session.
  fileprivate var received: UInt64 {
    boards.flatMap(\.streams).reduce(0) { $0 + $1.received }
  }
}
