internal import Values
internal import WebServer

/// A page without a gateway at work: nothing on it changes by itself.
protocol StillPage: PageContent {}

extension StillPage {
  func watch(_ isWatched: Bool) {}

  func status() -> JSONValue { .null }

  func state() -> JSONValue {
    ["status": .null, "position": .null, "session": .null, "now": .null]
  }

  func newColumns() -> JSONValue? { nil }
}
