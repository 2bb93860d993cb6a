public import Recording

extension Fix.ErrorEstimate.Basis {
  /// The word that denotes this source of an error estimate in tables and JSON.
  public var word: String {
    switch self {
    case .reported: "reported"
    case .dilution: "dilution"
    case .daemon: "gpsd"
    }
  }
}

extension Fix.Quality {
  /// The word that denotes this fix quality in tables and JSON.
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
