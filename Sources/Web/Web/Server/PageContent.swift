public import HTTPServer
public import Values

/// Kinds of pages.
public enum PageKind: String, Hashable, Sendable {
  /// A running gateway.
  case gateway
  /// A store, which another program may be recording into.
  case store
  /// A fleet of gateways, by their shared states.
  case fleet
}

/// The data and commands of a page: everything behind the server.
public protocol PageContent: Sendable {
  var kind: PageKind { get }
  /// Whether it sends events to open pages.
  var isLive: Bool { get }
  /// The computer's name, given by its owner.
  var gateway: String { get }
  /// Whether a map can be drawn under the tracks.
  var hasMap: Bool { get }

  /// The answer to a query. Called on the thread `page`, one query at a time.
  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer

  /// Prepares answers that are likely to be asked for next, a little at a time. Returns whether
  /// there is more to do. Called on the thread `page` while it has no query.
  func prepare() -> Bool

  /// Checks this computer for faults, which takes seconds.
  func diagnosis() async -> JSONValue

  /// Notes whether a page is open. Samples are then passed on as they arrive.
  func watch(_ isWatched: Bool)

  /// The status of the gateway, as in `footbridge status --json`; null without one.
  func status() -> JSONValue

  /// The full state, for open pages. Called on the thread `pages`, once a second.
  func state() -> JSONValue

  /// The events of a fleet's gateways for one page; `nil` if there are none, or too many pages are
  /// open.
  func fleetEvents() -> (any ServerStream)?

  /// New columns of samples since the last call; `nil` if there are none. Called on the thread
  /// `pages`, twenty times a second.
  func newColumns() -> JSONValue?

  /// Stops its background work, after the last query. Further calls do nothing.
  func stop()
}

extension PageContent {
  /// Live unless it is a store.
  public var isLive: Bool { kind != .store }

  /// None, since this is not a page of a fleet.
  public func fleetEvents() -> (any ServerStream)? { nil }

  /// Does nothing: there is no background work.
  public func stop() {}
}

/// The answer to a page's query.
public enum PageAnswer: Sendable {
  case json(JSONValue)
  /// Bytes with a content type, such as a map tile.
  case bytes([UInt8], kind: String)
  /// A file, which `write` produces piece by piece. It runs on a thread of its own, and ends when a
  /// piece is refused.
  case download(name: String, kind: String, write: @Sendable (PageDownload) throws -> Void)
  /// An answer that is not ready yet; others are given meanwhile.
  case later(LateAnswer)
}

/// An answer that takes some time.
public struct LateAnswer: Sendable {
  /// Makes the answer, on the thread `page`.
  public typealias Making = @Sendable () throws(PageFault) -> PageAnswer

  /// Starts the work. It calls its argument once, from any thread, when the answer can be made.
  let begin: @Sendable (_ ready: @escaping @Sendable (@escaping Making) -> Void) -> Void

  public init(
    _ begin: @escaping @Sendable (_ ready: @escaping @Sendable (@escaping Making) -> Void) -> Void
  ) {
    self.begin = begin
  }
}

/// The reason why a query has no answer.
public struct PageFault: Remediable, Hashable {
  public var status: Int
  /// The failure in words for a person.
  public var message: String
  /// The remedy; empty if there is none.
  public var remedy: String
  /// Seconds after which to try again, if waiting helps.
  public var seconds: Int?
  /// The methods of the address, if another one was used.
  var allowed: String?

  public init(_ status: Int, _ message: String, remedy: String = "", after seconds: Int? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
    self.seconds = seconds
  }
}
