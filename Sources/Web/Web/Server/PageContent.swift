public import HTTPServer
public import Values

public enum PageKind: String, Hashable, Sendable {
  case gateway
  /// A store, which another program may be using for a recording.
  case store
  /// A fleet of gateways. The content comes from the states that the gateways share.
  case fleet
}

/// A page's data and commands, independent of the server.
public protocol PageContent: Sendable {
  var kind: PageKind { get }
  /// Whether the content sends events to open pages.
  var isLive: Bool { get }
  /// The computer's name, as chosen by its owner.
  var gateway: String { get }
  /// Whether a map can be drawn under the tracks.
  var hasMap: Bool { get }

  /// Answers a query. Called on the `page` thread, for one query at a time.
  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer

  /// Prepares some of the responses that are likely to be requested next. Returns whether there is
  /// more to prepare. Called on the `page` thread while there is no query.
  func prepare() -> Bool

  /// Checks this computer for faults, which may take several seconds.
  func diagnosis() async -> JSONValue

  /// Records whether a page is open. While a page is open, samples are passed on as they arrive.
  func watch(_ isWatched: Bool)

  /// Returns the gateway's status, as in `footbridge status --json`; null if there is no gateway.
  func status() -> JSONValue

  /// Returns the complete state for open pages. Called on the `pages` thread, once per second.
  func state() -> JSONValue

  /// Returns the events from a fleet's gateways, for one page; `nil` if there are none, or if too
  /// many pages are open.
  func fleetEvents() -> (any ServerStream)?

  /// Returns the columns added to the live charts since the last call; `nil` if there are none.
  /// Called on the `pages` thread, twenty times per second.
  func newColumns() -> JSONValue?

  /// Stops the background work, after the last query. Repeated calls do nothing.
  func stop()
}

extension PageContent {
  /// By default, all content except a store sends events.
  public var isLive: Bool { kind != .store }

  /// Returns `nil`, because this is not a fleet's page.
  public func fleetEvents() -> (any ServerStream)? { nil }

  /// Does nothing, because there is no background work.
  public func stop() {}
}

/// The response to a page's query.
public enum PageAnswer: Sendable {
  case json(JSONValue)
  /// Bytes with a content type, such as a map tile.
  case bytes([UInt8], kind: String)
  /// A file that `write` produces piece by piece. `write` runs on a separate thread, and ends when
  /// a piece is rejected.
  case download(name: String, kind: String, write: @Sendable (PageDownload) throws -> Void)
  /// A result that is not yet ready. Other queries are answered in the meantime.
  case later(LateAnswer)
}

/// A result that takes some time to produce.
public struct LateAnswer: Sendable {
  /// Produces the result, on the `page` thread.
  public typealias Making = @Sendable () throws(PageFault) -> PageAnswer

  /// Starts the work. Once the result can be produced, the work calls `ready` once, on any thread.
  let begin: @Sendable (_ ready: @escaping @Sendable (@escaping Making) -> Void) -> Void

  public init(
    _ begin: @escaping @Sendable (_ ready: @escaping @Sendable (@escaping Making) -> Void) -> Void
  ) {
    self.begin = begin
  }
}

/// The reason a query failed.
public struct PageFault: Remediable, Hashable {
  public var status: Int
  public var message: String
  /// The remedy; empty if there is none.
  public var remedy: String
  /// Seconds to wait before the next attempt, if waiting helps.
  public var seconds: Int?
  /// The methods that the address supports, if the request used another method.
  var allowed: String?

  public init(_ status: Int, _ message: String, remedy: String = "", after seconds: Int? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
    self.seconds = seconds
  }
}
