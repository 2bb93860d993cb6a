internal import Recording
internal import Web

extension PageFault {
  /// The receiver is stopping.
  static let isEnding = PageFault(503, "the upload server is being stopped")

  /// An error of a fleet's database for a person with a page. A temporary one asks for another
  /// attempt soon.
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
