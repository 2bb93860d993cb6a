internal import MetaWearProtocol
public import Values

/// Brings a link to the pace that its board needs. A value type: events in, actions out, no clock.
///
/// `unlinked` → `settling` (requested, but measurements may be older) → `watching` → `settling`
/// with the next method, or `changing` the link by one of this computer's methods until it answers
/// → … → `resigned` after three tries. Only another pace or another link leads out of `resigned`.
/// The board's own request is the first method for each link; the others follow if the packets show
/// that it did not help.
public struct ConnectionTuning: Sendable {
  public enum Event: Hashable, Sendable {
    /// Settings module 11 of the board is known, and whether the board can ask for parameters.
    case identified(canAsk: Bool)
    /// The link is gone, or must no longer be changed.
    case linkLost
    /// This many boards stream through the adapter.
    case boards(Int)
    /// The methods that this process may use.
    case methods(Set<LinkMethod>)
    /// A measurement of the link is complete.
    case measured(LinkMeasurement)
    /// The link was changed.
    case changed(LinkMethod)
    /// A method was refused.
    case refused(LinkMethod, reason: String)
  }

  /// An action for the session; actions are performed in order.
  public enum Action: Hashable, Sendable {
    /// Make the board ask for these parameters.
    case ask(ConnectionParameters)
    /// Change the link from this computer's side, and report `changed` or `refused`.
    case changeLink(LinkMethod, ConnectionParameters)
    case report(LinkReport)
    /// A remark for the user.
    case remark(String)
  }

  private enum State: Hashable {
    case unlinked
    /// That many measurements may still be from before the change.
    case settling(Int)
    case watching
    case changing(LinkMethod)
    case resigned
  }

  /// A link refuses for a reason, so there is no use in asking for ever. Some kernels of 2024
  /// refuse every request for an interval longer than the link's current one.
  static let tries = 3
  /// The measurement during which the link was changed, and the next one: an update takes some
  /// intervals.
  static let unsettledMeasurements = 2

  /// The pace that the link should have.
  public private(set) var pace: LinkPace

  /// The last requested pace, and its effect as far as known.
  public var report: LinkReport { told ?? LinkReport(requested: pace, achieved: nil) }

  /// Whether the user chose the pace, so that it does not follow the number of boards.
  private let isFixed: Bool
  private var state = State.unlinked
  private var canAsk = false
  private var available: Set<LinkMethod> = []
  /// Methods of this computer already used for this pace on this link.
  private var used: Set<LinkMethod> = []
  private var triesMade = 0
  private var told: LinkReport?
  private var lastMeasurement: LinkMeasurement?
  private var hasWarned = false

  /// Tuning for a pace, which follows the number of boards unless the user chose it.
  public init(_ pace: LinkPace, isFixed: Bool = false) {
    self.pace = pace
    self.isFixed = isFixed
  }

  /// Handles an event and returns the resulting actions.
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

  /// Requests the pace with all methods available again.
  private mutating func request() -> [Action] {
    triesMade = 0
    used = []
    return pullNext()
  }

  // MARK: Methods

  /// The board's request first, then this computer's methods, then the board again.
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
    // No method is left: the board is asked again, or the link keeps its interval.
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
    [.remark("cannot change the link from this computer: \(reason)")]
      + (triesMade < Self.tries ? pullNext() : resign())
  }

  private mutating func resign() -> [Action] {
    state = .resigned
    guard let told, !told.isAsRequested else { return [] }
    return [.remark("the link keeps its own interval: \(told.text)")]
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

  /// Whether it differs from the last report; arrivals are never exactly the same.
  private func isNews(_ report: LinkReport) -> Bool {
    guard let told, let before = told.achieved, let now = report.achieved,
      told.requested == report.requested
    else { return true }
    return abs(now.milliseconds - before.milliseconds) > 1
  }
}
