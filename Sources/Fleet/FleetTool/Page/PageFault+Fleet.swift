internal import Recording
internal import Web

extension PageFault {
  static let isEnding = PageFault(503, "the upload server is being stopped")

  /// Converts an error from a fleet's database to a fault that the page reports. If the error is
  /// temporary, the page retries soon.
  init(ofFleet error: StoreError) {
    let (status, seconds): (Int, Int?) =
      switch error.kind {
      case .busy: (503, 2)
      case .locked, .cannotOpen, .other: (503, 10)
      case .full: (507, nil)
      case .refused: (409, nil)
      case .damaged, .gone, .newerSchema, .notAStore, .unknown: (500, nil)
      }
    self.init(status, error.message, remedy: error.remedy, after: seconds)
  }
}
