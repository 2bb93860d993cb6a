internal import HTTPServer
internal import LinuxSystem
internal import Recording

/// Answers with chunks that are stored elsewhere, a few at a time.
final class DistantReading: Sendable {
  /// Most chunks fetched at a time: each is in memory, and may be some megabytes large.
  private static let most = 32

  private let underWay = Guarded(0)

  /// Fetches a chunk and answers with it later.
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
