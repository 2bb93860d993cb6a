internal import MetaWearProtocol

extension AccelerometerEvent {
  var statement: Statement {
    switch self {
    case .lowHigh(let isHigh, let isLow, let axes, let sign):
      let kinds = [
        isHigh ? "high acceleration\(axes.along(sign))" : nil, isLow ? "low acceleration" : nil,
      ]
      return Statement(Words.list(kinds.compactMap(\.self), otherwise: "neither low nor high"))
    case .motion(let motion, let axes, let sign):
      return Statement(motion.words + axes.along(sign))
    case .plainMotion(let motion): return Statement(motion.words)
    case .tap(let isDouble, let isSingle, let axes, let sign):
      let kinds = [isDouble ? "double" : nil, isSingle ? "single" : nil].compactMap(\.self)
      return Statement(
        Words.list(kinds, otherwise: "unknown") + " tap" + axes.along(sign),
        remarks: ["sources disagree on the sign of bit 5"])
    case .axisTap(let isDouble, let axes, let signs):
      return Statement((isDouble ? "double" : "single") + " tap" + axes.along(signs))
    case .movement(let axes, let signs): return Statement("free fall or motion" + axes.along(signs))
    case .shake(let axes, let signs): return Statement("shaking" + axes.along(signs))
    case .orientation(let orientation): return Statement("now lies \(orientation.words)")
    case .flat(let isFlat, let isFaceDown):
      let side = isFaceDown.map { $0 ? ", face down" : ", face up" } ?? ""
      return Statement((isFlat ? "lies flat" : "does not lie flat") + side)
    case .stepDetected(let steps):
      return Statement("detected \(Words.count(steps, "step"))", .count("steps", steps))
    case .stepCount(let steps):
      return Statement("counted \(Words.count(steps, "step"))", .count("steps", steps))
    case .activity(let activity): return Statement("the wearer is \(activity.words)")
    case .wrist(let type, let code):
      let gestures = [
        "unknown", "push arm down", "pivot up", "shake", "flick in", "flick out",
      ]
      let gesture = Int(code) < gestures.count ? gestures[Int(code)] : "code \(code)"
      return Statement(
        type == 0 ? "wrist wake-up" : "wrist gesture: \(gesture)", .count("type", type),
        .count("code", code),
        remarks: ["sources disagree on the meaning of the type bits"])
    case .dieTemperature(let counts):
      return Statement(
        "chip temperature",
        .quantity(
          "temperature", AccelerometerEvent.degrees(dieTemperature: counts), "°C", decimals: 2,
          raw: counts))
    }
  }
}

extension AccelerometerEvent.Sign {
  fileprivate var mark: String { self == .negative ? "-" : "+" }
}

extension AccelerometerEvent.Axes {
  fileprivate func along(_ sign: AccelerometerEvent.Sign) -> String {
    along(.init(x: sign, y: sign, z: sign))
  }

  fileprivate func along(_ signs: AccelerometerEvent.Signs) -> String {
    let names = [
      x ? "\(signs.x.mark)x" : nil, y ? "\(signs.y.mark)y" : nil, z ? "\(signs.z.mark)z" : nil,
    ].compactMap(\.self)
    return names.isEmpty ? "" : " along \(Words.list(names))"
  }
}

extension AccelerometerEvent.Motion {
  fileprivate var words: String {
    Words.list(
      [
        isSignificant ? "significant motion" : nil, isAny ? "any motion" : nil,
        isNone ? "no or slow motion" : nil,
      ].compactMap(\.self), otherwise: "no motion")
  }
}

extension AccelerometerEvent.Orientation {
  fileprivate var words: String {
    switch self {
    case .faceUpPortraitUpright: "face up, portrait upright"
    case .faceUpPortraitUpsideDown: "face up, portrait upside down"
    case .faceUpLandscapeLeft: "face up, landscape left"
    case .faceUpLandscapeRight: "face up, landscape right"
    case .faceDownPortraitUpright: "face down, portrait upright"
    case .faceDownPortraitUpsideDown: "face down, portrait upside down"
    case .faceDownLandscapeLeft: "face down, landscape left"
    case .faceDownLandscapeRight: "face down, landscape right"
    }
  }
}

extension AccelerometerEvent.Activity {
  fileprivate var words: String {
    switch self {
    case .still: "still"
    case .walking: "walking"
    case .running: "running"
    case .unknown: "doing something unknown"
    }
  }
}
