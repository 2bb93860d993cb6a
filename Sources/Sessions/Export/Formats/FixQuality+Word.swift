public import Recording

extension Fix.ErrorEstimate.Basis {
  /// One word for tables and JSON.
  public var word: String {
    switch self {
    case .reported: "reported"
    case .dilution: "dilution"
    case .daemon: "gpsd"
    }
  }
}

extension Fix.Quality {
  /// One word for tables and JSON.
  public var word: String {
    switch self {
    case .autonomous: "autonomous"
    case .differential: "differential"
    case .precise: "precise"
    case .realTimeKinematic: "rtk_fixed"
    case .floatRealTimeKinematic: "rtk_float"
    case .estimated: "estimated"
    case .manual: "manual"
    case .simulated: "simulated"
    }
  }
}
