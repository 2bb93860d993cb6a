public import HTTPServer
public import Values

/// What a page is about.
public enum PageKind: String, Hashable, Sendable {
  /// A gateway at work.
  case gateway
  /// A store, whose recorder may be another program.
  case store
  /// Many gateways, by what they tell of themselves.
  case fleet
}

/// What a page shows, and what it does at its user's word: everything behind the server.
public protocol PageContent: Sendable {
  /// What the page is about.
  var kind: PageKind { get }
  /// Whether it has events for open pages.
  var isLive: Bool { get }
  /// What its owner calls this computer.
  var gateway: String { get }
  /// Whether there is a map behind the tracks.
  var hasMap: Bool { get }

  /// The answer to a question. Called on the thread `page`, for one question at a time.
  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer

  /// Prepares answers that somebody may ask for next, a little at a time: whether there is more to
  /// do. Called on the thread `page` while it has no question.
  func prepare() -> Bool

  /// Looks for what is wrong with this computer, which takes seconds.
  func diagnosis() async -> JSONValue

  /// Notes whether a page is open. Samples are then passed on as they come.
  func watch(_ isWatched: Bool)

  /// The status of the gateway, as `footbridge status --json`; null without one.
  func status() -> JSONValue

  /// The state of everything, for open pages. Called on the thread `pages`, once a second.
  func state() -> JSONValue

  /// The events of a fleet's gateways for one page; `nil` where there are none, or too many pages
  /// are open.
  func fleetEvents() -> (any ServerStream)?

  /// The columns of samples that were not asked for yet; `nil` if there are none. Called on the
  /// thread `pages`, twenty times a second.
  func newColumns() -> JSONValue?

  /// Ends what works for it, after the last question. Further calls do nothing.
  func stop()
}

extension PageContent {
  /// A store alone has none.
  public var isLive: Bool { kind != .store }

  /// None: this is no page of a fleet.
  public func fleetEvents() -> (any ServerStream)? { nil }

  /// Nothing works for it.
  public func stop() {}
}

/// The answer to a question of a page.
public enum PageAnswer: Sendable {
  /// A value.
  case json(JSONValue)
  /// Bytes of a kind, such as a tile of a map.
  case bytes([UInt8], kind: String)
  /// A file, which `write` gives a piece at a time. It is called on a thread of its own, and ends
  /// when a piece is refused.
  case download(name: String, kind: String, write: @Sendable (PageDownload) throws -> Void)
  /// An answer that is not there yet, while others are given.
  case later(LateAnswer)
}

/// An answer that takes its time.
public struct LateAnswer: Sendable {
  /// Makes the answer, on the thread `page`.
  public typealias Making = @Sendable () throws(PageFault) -> PageAnswer

  /// Has something begun, which calls what it is given once, from any thread, when the answer can
  /// be made.
  let begin: @Sendable (_ ready: @escaping @Sendable (@escaping Making) -> Void) -> Void

  /// An answer for which `begin` does the work.
  public init(
    _ begin: @escaping @Sendable (_ ready: @escaping @Sendable (@escaping Making) -> Void) -> Void
  ) {
    self.begin = begin
  }
}

/// Why a question of a page has no answer.
public struct PageFault: Remediable, Hashable {
  /// The status code.
  public var status: Int
  /// What failed, on what.
  public var message: String
  /// What to do about it; empty if there is nothing.
  public var remedy: String
  /// Seconds after which to try again, where time is the remedy.
  public var seconds: Int?
  /// The methods that the address has, where another was used.
  var allowed: String?

  /// A fault with the given parts.
  public init(_ status: Int, _ message: String, remedy: String = "", after seconds: Int? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
    self.seconds = seconds
  }
}
