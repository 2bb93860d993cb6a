internal import MetaWearProtocol
public import Values

/// Adjusts a link to the pace that its board needs. This value type turns events into actions and
/// has no clock.
///
/// `unlinked` → `settling` (a change was requested, but measurements may predate it) → `watching`.
/// If the packets show that the request had no effect, the tuning tries the next method of changing
/// the interval and returns to `settling`. If the host carries out that method, the state is
/// `changing` until the system responds. After three attempts, the state is `resigned` until the
/// pace changes or a new link is established. The first method is a request by the board, if the
/// board can make one.
public struct ConnectionTuning: Sendable {
  public enum Event: Hashable, Sendable {
    /// The board's settings module (11) has been identified. `canAsk` indicates whether the board
    /// can request parameters.
    case identified(canAsk: Bool)
    /// The link is down, or must no longer be changed.
    case linkLost
    /// The number of boards that stream through the adapter has changed to this value.
    case boards(Int)
    /// This process may use these host-side methods to change a link.
    case methods(Set<LinkMethod>)
    case measured(LinkMeasurement)
    case changed(LinkMethod)
    /// The system refused a method.
    case refused(LinkMethod, reason: String)
  }

  /// An action that the session must perform. Actions must be performed in order.
  public enum Action: Hashable, Sendable {
    /// Make the board request these parameters.
    case ask(ConnectionParameters)
    /// Change the link's connection parameters using this method, and report `changed` or
    /// `refused`.
    case changeLink(LinkMethod, ConnectionParameters)
    case report(LinkReport)
    case remark(String)
  }

  private enum State: Hashable {
    case unlinked
    /// A change was requested. The value is the number of upcoming measurements that may still
    /// reflect the time before the change.
    case settling(Int)
    case watching
    case changing(LinkMethod)
    case resigned
  }

  /// Maximum number of attempts for each pace. A request that was refused is likely to be refused
  /// again, so there is no point in trying forever. Some kernels from 2024 refuse every request for
  /// an interval longer than the link's current one.
  static let tries = 3
  /// Number of measurements ignored after a change: the one in progress and the next one. A change
  /// takes effect only after several connection intervals.
  static let unsettledMeasurements = 2

  public private(set) var pace: LinkPace

  /// The last report on this link. Before the first report, the current pace without an interval.
  public var report: LinkReport { told ?? LinkReport(requested: pace, achieved: nil) }

  /// Whether the user chose the pace. If so, it does not depend on the number of boards.
  private let isFixed: Bool
  private var state = State.unlinked
  private var canAsk = false
  private var available: Set<LinkMethod> = []
  /// Host-side methods already tried for this pace on this link.
  private var used: Set<LinkMethod> = []
  private var triesMade = 0
  private var told: LinkReport?
  private var lastMeasurement: LinkMeasurement?
  private var hasWarned = false

  /// The pace depends on the number of boards unless the user chose it.
  public init(_ pace: LinkPace, isFixed: Bool = false) {
    self.pace = pace
    self.isFixed = isFixed
  }

  public mutating func handle(_ event: Event) -> [Action] {
    switch (event, state) {
    case (.identified(let canAsk), _): begin(canAsk: canAsk)
    case (.linkLost, _): end()
    case (.boards(let count), _): share(boards: count)
    case (.methods(let methods), _): note(methods)
    case (.measured(let measurement), _): take(measurement)
    case (.changed(let method), .changing(let current)) where method == current: settle()
    case (.refused(let method, let reason), .changing(let current)) where method == current:
      refused(method, reason)
    case (.changed, _), (.refused, _): []
    }
  }

  // MARK: Links

  private mutating func begin(canAsk: Bool) -> [Action] {
    self.canAsk = canAsk
    told = nil
    return request()
  }

  private mutating func end() -> [Action] {
    state = .unlinked
    return []
  }

  private mutating func note(_ methods: Set<LinkMethod>) -> [Action] {
    available = methods
    return []
  }

  private mutating func share(boards: Int) -> [Action] {
    guard !isFixed else {
      guard !hasWarned, let warning = pace.warning(boards: boards) else { return [] }
      hasWarned = true
      return [.remark(warning)]
    }
    let wanted = LinkPace.streaming(boards: boards)
    guard wanted != pace else { return [] }
    pace = wanted
    return state == .unlinked ? [] : request()
  }

  /// Starts a new series of attempts for the current pace. Methods tried earlier may be tried
  /// again.
  private mutating func request() -> [Action] {
    triesMade = 0
    used = []
    return pullNext()
  }

  // MARK: Methods

  /// Tries the next method: first the board's own request, then the host-side methods, then the
  /// board's request again.
  private mutating func pullNext() -> [Action] {
    let isFirst = triesMade == 0
    triesMade += 1
    if isFirst, canAsk { return ask() }
    if let method = LinkMethod.allCases.first(where: {
      available.contains($0) && !used.contains($0)
    }) {
      used.insert(method)
      state = .changing(method)
      return [.changeLink(method, pace.parameters)]
    }
    // If no host-side method is left, the board repeats its request. If the board cannot make
    // requests, the link keeps its interval.
    return canAsk ? ask() : settle()
  }

  private mutating func ask() -> [Action] {
    [.ask(pace.parameters)] + settle()
  }

  private mutating func settle() -> [Action] {
    state = .settling(Self.unsettledMeasurements)
    return []
  }

  private mutating func refused(_ method: LinkMethod, _ reason: String) -> [Action] {
    [.remark("this computer cannot change the link's interval: \(reason)")]
      + (triesMade < Self.tries ? pullNext() : resign())
  }

  private mutating func resign() -> [Action] {
    state = .resigned
    guard let told, !told.isAsRequested else { return [] }
    return [.remark("the link keeps its current interval: \(told.text)")]
  }

  // MARK: Measurements

  private mutating func take(_ measurement: LinkMeasurement) -> [Action] {
    // The caller may pass the same measurement twice.
    guard measurement != lastMeasurement else { return [] }
    lastMeasurement = measurement
    switch state {
    case .unlinked, .changing:
      return []
    case .settling(let count):
      state = count > 1 ? .settling(count - 1) : .watching
      return []
    case .watching, .resigned:
      return judge(LinkReport(requested: pace, achieved: measurement.interval))
    }
  }

  private mutating func judge(_ report: LinkReport) -> [Action] {
    guard report.achieved != nil else { return [] }
    let news: [Action] = isNews(report) ? [.report(report)] : []
    if !news.isEmpty { told = report }
    guard state == .watching, !report.isAsRequested else { return news }
    return news + (triesMade < Self.tries ? pullNext() : resign())
  }

  /// Whether a report differs significantly from the previous one. Measured intervals are never
  /// exactly equal.
  private func isNews(_ report: LinkReport) -> Bool {
    guard let told, let before = told.achieved, let now = report.achieved,
      told.requested == report.requested
    else { return true }
    return abs(now.milliseconds - before.milliseconds) > 1
  }
}
