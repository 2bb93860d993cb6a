internal import MetaWearProtocol
internal import Values

/// A vector that describes a log download, notification by notification.
struct LogVector {
  let vector: MetaWearVector

  func check() throws(Objection) {
    try checkReplies()
    var download = LogDownload(LogAssembler(try triggers()), revision: 2)
    var samples: [LogAssembler.Sample] = []
    var unknown: [LogEntry] = []
    var progress: [Double] = []
    var pages = 0
    for packet in try vector.notifications() {
      let notification: Notification
      do throws(DecodeError) {
        notification = try Notification(decoding: packet.span, from: vector.modules)
      } catch {
        throw .failed("\(Hexadecimal.text(packet)): \(error)")
      }
      if case .logProgress(let left) = notification { progress.append(Double(left)) }
      for action in download.receive(notification) {
        switch action {
        case .keep(let sample): samples.append(sample)
        case .report(let entry): unknown.append(entry)
        case .storeAndConfirm: pages += 1
        case .write, .show, .drained: break
        }
      }
    }
    var rows: [Row] = []
    for sample in samples { rows += try self.rows(of: sample, in: download) }
    try Row.compare(rows, with: vector, samples: expected["samples"]?.list ?? [])
    try check(samples, unknown)
    try compare("pages_completed", .number(Double(pages)))
    try compare("progress", .list(progress.map { .number($0) }))
  }

  /// Checks the board's replies to a client that restarts and then recovers the log's triggers from
  /// the board.
  private func checkReplies() throws(Objection) {
    guard case .object(let replies)? = vector.context["replies"] else { return }
    let triggers = try triggers()
    for (request, reply) in replies {
      let packet = reply.text.flatMap(Hexadecimal.bytes(_:)) ?? []
      guard let notification = try? Notification(decoding: packet.span, from: vector.modules) else {
        throw .failed("the reply to \(request) cannot be decoded")
      }
      let asked = Hexadecimal.bytes(request).flatMap(Command.init(bytes:))?.meaning(
        on: vector.modules)
      if case .queryTrigger(let id) = asked as? Logging, case .logTrigger(let source) = notification
      {
        guard source == triggers.first(where: { $0.id == id })?.source else {
          throw .failed("trigger \(id) is \(Hexadecimal.text(packet))")
        }
      }
    }
  }

  private var expected: JSON { vector.expected ?? .null }

  private func triggers() throws(Objection) -> [LogTrigger] {
    var triggers: [LogTrigger] = []
    for logger in vector.context["loggers"]?.list ?? [] {
      guard let id = logger["id"]?.integer, let length = logger["length"]?.integer,
        let place = logger["source"]?.text.flatMap(Hexadecimal.bytes(_:)), place.count == 3
      else { throw .failed("not a logger: \(logger)") }
      let source = SignalSource(
        PacketHeader(module: place[0], registerByte: place[1]), index: place[2], length: length,
        offset: logger["offset"]?.integer ?? 0)
      triggers.append(LogTrigger(id: UInt8(truncatingIfNeeded: id), source: source))
    }
    return triggers
  }

  private func compare(_ name: String, _ found: JSON) throws(Objection) {
    guard let value = expected[name], value != found else { return }
    throw .failed("\(name) is \(found), expected \(value)")
  }

  private func check(
    _ samples: [LogAssembler.Sample], _ unknown: [LogEntry]
  ) throws(Objection) {
    let times = Times(ticks: samples.map(\.tick), expected: expected)
    try times.check()
    if let last = samples.last { try compare("reset_uid", .number(Double(last.resetUID))) }
    try compare(
      "unknown_entries",
      .list(
        unknown.map { entry in
          .list(
            [
              Double(entry.trigger), Double(entry.resetUID), Double(entry.tick),
              Double(entry.data),
            ].map { .number($0) })
        }))
    if let offset = value("wrap_offset_ms") {
      let wrapped = zip(times.offsets, zip(times.ticks, times.ticks.dropFirst()))
        .filter { $1.0 > $1.1 }.map(\.0)
      try times.compare(
        wrapped, with: offset.list?.compactMap(\.number) ?? [offset.number ?? .nan], "wrap")
    }
    try checkAges(samples, times)
  }

  /// Checks the samples' ages relative to a reading of the board's clock. The vector contains a
  /// list of all ages, or only the age of the first or the last sample.
  private func checkAges(
    _ samples: [LogAssembler.Sample], _ times: Times
  ) throws(Objection) {
    guard let age = value("age_ms_at_reference") else { return }
    let packet = value("time_reference")?.text.flatMap(Hexadecimal.bytes(_:)) ?? []
    guard
      case .timeReference(let reference)? = try? Notification(
        decoding: packet.span, from: vector.modules)
    else { throw .failed("no time reference") }
    let ages = samples.compactMap {
      reference.millisecondsSince(tick: $0.tick, resetUID: $0.resetUID)
    }
    if let list = age.list {
      try times.compare(ages, with: list.compactMap(\.number), "ages")
    } else if let number = age.number {
      let ends = [ages.first, ages.last].compactMap { $0 }
      guard ends.contains(where: { abs($0 - number) <= times.tolerance }) else {
        throw .failed("ages are \(ages) ms, expected \(number)")
      }
    }
  }

  /// Returns an optional value from the vector. The value may be stored in the expectation, in the
  /// vector itself, or in its context.
  private func value(_ name: String) -> JSON? {
    expected[name] ?? vector.json[name] ?? vector.context[name]
  }

  // MARK: Samples

  private func rows(
    of sample: LogAssembler.Sample, in download: LogDownload
  ) throws(Objection) -> [Row] {
    let fields = vector.json["fields"]?.list?.compactMap(\.text) ?? []
    let signal = download.signals[sample.signal]
    if vector.signal == "raw" { return [Row(["hex": .text(Hexadecimal.text(sample.bytes))])] }
    let packet = signal.packet(holding: sample.bytes)
    if vector.signal == "fused" || vector.signal == "processor_output" {
      do throws(DecodeError) {
        return try ProcessorReading(vector: vector).rows(of: packet)
      } catch {
        throw .failed("\(Hexadecimal.text(packet)): \(error)")
      }
    }
    // A notification never contains only one axis of a three-axis value.
    if fields.count == 1, sample.bytes.count == 2,
      signal.triggers.first?.source.header.isRead == false
    {
      let module = signal.triggers.first?.source.header.module ?? .accelerometer
      let counts = sample.bytes.span.int16(at: 0)
      let scale = SignalReading(vector: vector).countsPerUnit(module)
      return [Row(fields, [Double(counts) / scale])]
    }
    return try SignalReading(vector: vector).rows(of: asSent(packet))
  }

  /// Converts a packet that a processor passed to the log into the packet that the original sensor
  /// would have sent.
  private func asSent(_ packet: [UInt8]) -> [UInt8] {
    let headers: [String: [UInt8]] = [
      "quaternion": [0x19, 0x07], "acceleration": [0x03, 0x04], "angular_velocity": [0x13, 0x05],
      "temperature": [0x04, 0x81, 0x00],
    ]
    guard packet[0] == ModuleID.dataProcessor.rawValue, let header = headers[vector.signal] else {
      return packet
    }
    return header + packet.dropFirst(3)
  }
}
