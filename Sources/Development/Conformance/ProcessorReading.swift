internal import MetaWearProtocol
internal import Values

/// Decodes a processor's output with the element, scale and layout that its vector specifies.
struct ProcessorReading {
  let vector: MetaWearVector

  private static let elements: [String: ProcessorLayout.Element] = [
    "i16": .int16, "i32": .int32, "u32": .uint32, "i16x3": .vector,
    "i8x3_hi": .vectorUpperBytes,
  ]

  private var layoutName: String { vector.context["layout"]?.text ?? "" }
  private var fields: [String] { vector.json["fields"]?.list?.compactMap(\.text) ?? [] }
  /// The first field's name if it is a timestamp.
  private var stampField: String? {
    fields.first.flatMap { ["tick", "count"].contains($0) ? $0 : nil }
  }

  /// Returns the layout of a packet with this number of bytes after its header and id.
  func layout(dataLength: Int) -> ProcessorLayout {
    let named = vector.context["element"]?.text.flatMap { Self.elements[$0] }
    let channels = fields.count - (stampField == nil ? 0 : 1)
    let isStamped = stampField != nil || layoutName.holds("account") || vector.kind == "timing"
    let isTime = stampField != "count" && vector.context["count"]?.bool != true
    func stampLength(of element: ProcessorLayout.Element) -> Int {
      isStamped
        ? ProcessorFunction.stampLength(isTime: isTime, inputLength: element.length) : 0
    }
    func values(_ element: ProcessorLayout.Element) -> Int {
      let length = stampLength(of: element) + element.length
      return dataLength.isMultiple(of: length) ? dataLength / length : 0
    }
    let candidates: [ProcessorLayout.Element] =
      channels == 6
      ? [.twoVectors]
      : channels == 3
        ? [.vector]
        : fields.isEmpty
          ? [.int16, .uint32, .vector, .twoVectors] : [.int16, .uint32]
    // The packet's length determines its layout. If the layout's name starts with `packed`, prefer
    // a layout with several values, otherwise a layout with one value.
    let isNamedPacked = layoutName.hasPrefix("packed")
    let fitting =
      candidates.first { isNamedPacked ? values($0) > 1 : values($0) == 1 }
      ?? candidates.first { values($0) > 0 }
    let element = named ?? fitting ?? candidates.last ?? .uint32
    return ProcessorLayout(
      element: element, stampLength: stampLength(of: element), isPacked: values(element) != 1)
  }

  func rows(of packet: [UInt8]) throws(DecodeError) -> [Row] {
    let layout = layout(dataLength: packet.count - 3)
    return try layout.samples(decoding: packet.span).map { sample in
      var values = sample.counts.enumerated().map { Double($1) / scale(channel: $0) }
      if let stamp = sample.stamp, stampField != nil { values.insert(Double(stamp), at: 0) }
      return Row(fields, values)
    }
  }

  /// Returns the counts per unit. For channels 0 to 2, this is `scale`, or else the accelerometer's
  /// scale if a `range_g` is given, or else 1. For other channels, it is `scale2`, or else the
  /// gyroscope's scale.
  private func scale(channel: Int) -> Double {
    let reading = SignalReading(vector: vector)
    if channel >= 3 {
      return vector.context["scale2"]?.number ?? reading.countsPerUnit(.gyroscope)
    }
    if let scale = vector.context["scale"]?.number { return scale }
    return vector.context["range_g"] == nil ? 1 : reading.countsPerUnit(.accelerometer)
  }
}
