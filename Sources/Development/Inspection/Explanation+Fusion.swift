internal import MetaWearProtocol

extension SensorFusion: Explained {
  static let outputNames = [
    "corrected acceleration", "corrected angular velocity", "corrected magnetic field",
    "quaternion", "Euler angles", "gravity", "linear acceleration",
  ]

  func statement(in context: Context) -> Statement {
    switch self {
    case .run(let isOn):
      return Statement(
        isOn
          ? "starts the algorithm" + (context.board.fusion.map { " in \($0.mode.words)" } ?? "")
          : "stops the algorithm, which resets it")
    case .configure(let configuration): return configuration.statement("sets")
    case .outputs(let enable, let disable):
      var parts: [String] = []
      if !enable.isEmpty {
        parts.append("computes \(Words.bits(enable.rawValue, Self.outputNames))")
      }
      if disable.isSuperset(of: .all) {
        parts.append("ends all outputs")
      } else if !disable.isEmpty {
        parts.append("ends \(Words.bits(disable.rawValue, Self.outputNames))")
      }
      return Statement(Words.list(parts, otherwise: "changes no output"))
    case .calibrate(let sensor, let bytes):
      return Statement(
        "writes the \(sensor.name)'s calibration back", .text("bytes", Words.hex(bytes)),
        remarks: sensor == .magnetometer ? ["invalid magnetometer data crashes the board"] : [])
    case .resetOrientation: return Statement("makes the current heading the new zero")
    }
  }
}

extension SensorFusion.Configuration {
  func statement(_ verb: String) -> Statement {
    Statement(
      "\(verb) \(mode.words)"
        + (mode == .sleep
          ? "" : ", ±\(Words.plain(acceleration.limit)) g, ±\(Words.plain(rotation.limit)) deg/s"),
      .quantity("output_rate", mode.hertz, "Hz", decimals: 0),
      .quantity("acceleration_range", acceleration.limit, "g", decimals: 0),
      .quantity("rotation_range", rotation.limit, "deg/s", decimals: 0))
  }
}

extension SensorFusion.Mode {
  var words: String {
    switch self {
    case .sleep: "sleep"
    case .ndof: "NDOF mode"
    case .imuPlus: "IMU plus mode"
    case .compass: "compass mode"
    case .m4g: "M4G mode"
    }
  }
}

extension SensorFusion.Accuracy {
  var words: String {
    switch self {
    case .unreliable: "unreliable"
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    }
  }
}
