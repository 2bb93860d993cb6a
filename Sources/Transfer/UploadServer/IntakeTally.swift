internal import LinuxSystem
internal import Recording

/// Keeps the counts of an upload server, on any thread, and announces their changes.
final class IntakeTally: Sendable {
  private let counted = Guarded(IntakeCounts())
  /// Yields an element after a count has changed; several changes in a row may share one element.
  let news: AsyncStream<Void>
  private let announcement: AsyncStream<Void>.Continuation

  init() {
    (news, announcement) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var counts: IntakeCounts { counted.withLock { $0 } }

  /// Counts a failed request, unless no upload server could have served it.
  func count(_ failure: StoreError) {
    guard failure.kind != .refused else { return }
    count {
      $0.failures += 1
      $0.lastFailure = failure.message
    }
  }

  /// Changes the counts.
  func count(_ change: (inout IntakeCounts) -> Void) {
    counted.withLock { change(&$0) }
    announcement.yield()
  }
}
