internal import MetaWearProtocol
internal import Values

extension SignalReading {
  /// Returns an accelerometer event's fields, or `nil` if the vector requests a different signal.
  func rows(of event: AccelerometerEvent) -> [Row]? {
    switch (vector.signal, event) {
    case ("low_high", .lowHigh(let isHigh, let isLow, let axes, let sign)):
      [
        Row([
          "high": .bool(isHigh), "low": .bool(isLow), "high_x": .bool(axes.x),
          "high_y": .bool(axes.y), "high_z": .bool(axes.z), "high_sign": text(sign),
        ])
      ]
    case ("any_motion", .motion(_, let axes, let sign)): [row(axes, ["sign": text(sign)])]
    case ("motion_bits", .motion(let motion, _, _)), ("motion_bits", .plainMotion(let motion)):
      [
        Row([
          "significant": .bool(motion.isSignificant), "no_motion": .bool(motion.isNone),
          "any_motion": .bool(motion.isAny),
        ])
      ]
    case ("tap", .tap(let isDouble, _, _, let sign)):
      [Row(["kind": .text(isDouble ? "double" : "single"), "sign": text(sign)])]
    case ("mma_tap", .axisTap(let isDouble, let axes, let signs)):
      [row(axes, ["kind": .text(isDouble ? "double" : "single")], signs)]
    case ("mma_movement", .movement(let axes, let signs)),
      ("mma_shake", .shake(let axes, let signs)):
      [row(axes, [:], signs)]
    case ("orientation", .orientation(let orientation)):
      [Row(["orientation": .text(Self.snakeCase("\(orientation)"))])]
    case ("flat", .flat(let isFlat, _)): [Row(["flat": .bool(isFlat)])]
    case ("step_detector", .stepDetected(let steps)): [Row(["value"], [Double(steps)])]
    case ("step_counter", .stepCount(let steps)): [Row(["steps"], [Double(steps)])]
    case ("activity", .activity(let activity)): [Row(["activity": .text("\(activity)")])]
    case ("wrist", .wrist(let type, let code)):
      [Row(["type", "gesture_code"], [Double(type), Double(code)])]
    default: nil
    }
  }

  private func text(_ sign: AccelerometerEvent.Sign) -> JSON {
    .text(sign == .negative ? "-" : "+")
  }

  private func row(
    _ axes: AccelerometerEvent.Axes, _ others: [String: JSON],
    _ signs: AccelerometerEvent.Signs? = nil
  ) -> Row {
    var fields = others
    fields["x"] = .bool(axes.x)
    fields["y"] = .bool(axes.y)
    fields["z"] = .bool(axes.z)
    if let signs {
      fields["sign_x"] = text(signs.x)
      fields["sign_y"] = text(signs.y)
      fields["sign_z"] = text(signs.z)
    }
    return Row(fields)
  }

  /// Converts a name such as `faceUpPortraitUpright` to `face_up_portrait_upright`.
  private static func snakeCase(_ name: String) -> String {
    name.map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
  }
}
