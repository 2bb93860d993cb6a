public import Testing

/// The patience of a test with what should happen soon, in seconds of ``GivenTime``. It is spent
/// only where something fails, so it is the same everywhere.
public let patience = 120.0

/// Waits until something is so: whether that was in time.
public func happens(
  within seconds: Double = patience, _ isSo: () async throws -> Bool
) async rethrows -> Bool {
  let limit = GivenTime.now.advanced(bySeconds: seconds)
  while true {
    // Looked at once more after the limit: on a busy machine this thread may wake long after it.
    let isOver = GivenTime.now >= limit
    if try await isSo() { return true }
    if isOver { return false }
    try? await Task.sleep(for: .milliseconds(10))
  }
}

/// Waits until something is so, and fails when that takes too long.
public func wait(
  for what: Comment, seconds: Double = patience, until isSo: () async throws -> Bool,
  at place: SourceLocation = #_sourceLocation
) async throws {
  try #require(try await happens(within: seconds, isSo), what, sourceLocation: place)
}
