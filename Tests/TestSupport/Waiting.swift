internal import LinuxSystem
public import Testing

/// The maximum time that a test waits for an event that should happen soon, in seconds of
/// ``GivenTime``. Only failing tests wait this long, so one value is enough for all.
public let patience = 120.0

/// Waits until a condition is true. Returns whether this happened in time.
public func happens(
  within seconds: Double = patience, _ isSo: () async throws -> Bool
) async rethrows -> Bool {
  let limit = GivenTime.now.advanced(bySeconds: seconds)
  while true {
    // The condition is checked once more after the limit, because on a busy machine this thread may
    // wake up much later.
    let isOver = GivenTime.now >= limit
    if try await isSo() { return true }
    if isOver { return false }
    try? await Pause.seconds(0.01)
  }
}

/// Waits until a condition is true. Fails the test if this takes too long.
public func wait(
  for what: Comment, seconds: Double = patience, until isSo: () async throws -> Bool,
  at place: SourceLocation = #_sourceLocation
) async throws {
  try #require(try await happens(within: seconds, isSo), what, sourceLocation: place)
}
