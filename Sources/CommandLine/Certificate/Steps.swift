internal import Export
internal import Gateway
internal import Recording
internal import Storage

/// The progress of reading a whole session, which a signal ends.
struct Steps {
  /// Thrown when a signal ends the reading.
  struct Interruption: Error {}

  private let progress: StoreProgress

  init(_ progress: @escaping StoreProgress) {
    self.progress = progress
  }

  /// Shows the progress. Throws after a signal.
  func go(_ done: Int, of total: Int) throws(Interruption) {
    guard progress(done, total) else { throw Interruption() }
  }

  /// Measures a session.
  func certificate(of export: SessionExport) throws -> Certificate {
    let total = try export.content().streams.reduce(0) { $0 + $1.sampleCount }
    return try export.certificate { try go($0, of: total) }
  }
}
