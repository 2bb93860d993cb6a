public import Values
public import Web

/// A page without a gateway at work: nothing on it changes by itself.
public protocol StillPage: PageContent {}

extension StillPage {
  /// Does nothing: no gateway works for the page.
  public func watch(_ isWatched: Bool) {}

  /// No gateway has a status.
  public func status() -> JSONValue { .null }

  /// Nothing is going on.
  public func state() -> JSONValue {
    ["status": .null, "position": .null, "session": .null, "now": .null]
  }

  /// Nothing is new.
  public func newColumns() -> JSONValue? { nil }
}
