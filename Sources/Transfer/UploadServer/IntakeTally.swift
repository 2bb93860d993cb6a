internal import LinuxSystem
internal import Recording

/// Maintains an upload server's totals and announces changes. Any thread can use it.
final class IntakeTally: Sendable {
  private let counted = Guarded(IntakeCounts())
  /// Yields an element after a total has changed. Several changes in quick succession may yield
  /// only one element.
  let news: AsyncStream<Void>
  private let announcement: AsyncStream<Void>.Continuation

  init() {
    (news, announcement) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var counts: IntakeCounts { counted.withLock { $0 } }

  /// Counts a failed request. An item that contradicts stored data is not counted, because no
  /// upload server could store it.
  func count(_ failure: StoreError) {
    guard failure.kind != .refused else { return }
    count {
      $0.failures += 1
      $0.lastFailure = failure.message
    }
  }

  /// Changes the totals and announces the change.
  func count(_ change: (inout IntakeCounts) -> Void) {
    counted.withLock { change(&$0) }
    announcement.yield()
  }
}
