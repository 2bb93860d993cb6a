internal import Recording
internal import Web

extension PageFault {
  /// The receiver does nothing more.
  static let isEnding = PageFault(503, "the upload server is being stopped")

  /// What an error of a fleet's database means to a person with a page. What may pass by itself is
  /// worth another try soon.
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
