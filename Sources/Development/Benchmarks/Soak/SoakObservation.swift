internal import Gateway
internal import Values

/// Observes how a gateway handles one fault, as shown by its status. Pass each new status to
/// `note`.
struct SoakObservation: Sendable {
  /// The longest permitted time in seconds without samples, and the longest permitted time from the
  /// end of the fault to recovery.
  static let longestPause = 60.0

  let fault: SoakFault
  /// Seconds from the start of the fault until the status reported it; `nil` if it never did.
  private(set) var namedAfter: Double?
  /// The message with which the status reported the fault, and its remedy.
  private(set) var words = ""
  private(set) var remedy = ""
  /// Seconds from the end of the fault until everything was working again; `nil` if it never did.
  private(set) var wellAfter: Double?
  /// The longest time in seconds without a sample from any board.
  private(set) var longestPause = 0.0

  private let destination: String
  private let begun: Double
  /// Problems that the status already reported before the fault, which must not be attributed to
  /// the fault.
  private let earlier: Set<String>
  private var cured: Double?
  private var progress: (session: UniqueID?, samples: UInt64, time: Double)

  /// Starts observing a fault. `time` is in seconds on an arbitrary clock. `status` is the last
  /// status before the fault.
  init(_ fault: SoakFault, destination: String, at time: Double, _ status: GatewayStatus) {
    self.fault = fault
    self.destination = destination
    begun = time
    earlier = Set(status.troubles.map(Self.words))
    progress = (status.recording.session, status.received, time)
  }

  mutating func cure(at time: Double) { cured = time }

  var isOver: Bool { cured != nil && wellAfter != nil }

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

  /// Descriptions of the violated limits.
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

  /// The fault's row in the report.
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

  static func seconds(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
}

extension GatewayStatus {
  /// The number of samples in the current session.
  fileprivate var received: UInt64 {
    boards.flatMap(\.streams).reduce(0) { $0 + $1.received }
  }
}
