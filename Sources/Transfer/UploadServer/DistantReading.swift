internal import HTTPServer
internal import LinuxSystem
internal import Recording

/// Sends chunks that are stored on another computer. Limits the number of chunks that are fetched
/// concurrently.
final class DistantReading: Sendable {
  /// The maximum number of chunks to fetch concurrently. Each of these chunks is held in memory and
  /// can be several megabytes in size.
  private static let most = 32

  private let underWay = Guarded(0)

  /// Fetches a chunk on another thread, then sends it as the response.
  func give(
    _ chunk: @escaping @Sendable () async -> Result<[UInt8], StoreError>, to reply: PendingReply,
    _ tally: IntakeTally
  ) {
    let isBusy = underWay.withLock { count in
      guard count < Self.most else { return true }
      count += 1
      return false
    }
    guard !isBusy else {
      return reply.give(
        UploadAnswer.failure(
          StoreError(.busy, "too many sealed chunks are being read", remedy: "try again")))
    }
    Task { [underWay] in
      defer { underWay.withLock { $0 -= 1 } }
      do throws(StoreError) {
        reply.give(UploadAnswer.chunk(try await chunk().get()))
      } catch {
        tally.count(error)
        reply.give(UploadAnswer.failure(error))
      }
    }
  }
}
