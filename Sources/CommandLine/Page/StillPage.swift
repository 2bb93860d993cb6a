public import Values
public import Web

/// A page that works without a running gateway. The content changes only in response to requests.
public protocol StillPage: PageContent {}

extension StillPage {
  /// Does nothing, because no gateway provides live data for the page.
  public func watch(_ isWatched: Bool) {}

  /// Returns `null`, because only a gateway has a status.
  public func status() -> JSONValue { .null }

  /// Returns a state without live data.
  public func state() -> JSONValue {
    ["status": .null, "position": .null, "session": .null, "now": .null]
  }

  /// Returns `nil`, because no new samples arrive.
  public func newColumns() -> JSONValue? { nil }
}
