internal import MetaWearProtocol

/// Passes one board's packets, in both directions, to all of the codec's decoders.
///
/// An input is a byte that selects the board, followed by packets. Each packet is preceded by its
/// length.
struct CodecCheck {
  /// The table of the board's modules. Module info responses among the packets change it, so that
  /// every kind of table is tested.
  private var modules: ModuleTable
  private var streams: StreamCheck
  private var log: LogCheck
  /// The number of board changes that the input may still make. It is limited because setting up
  /// streams takes most of the time.
  private var changesLeft = 3

  static func play(_ input: [UInt8]) {
    var reader = ByteReader(input)
    var check = fresh[BoardChoice.place(reader.byte())]
    // A packet in an input has up to 31 bytes. Packets longer than a real board's must also be
    // handled safely.
    while !reader.isAtEnd { check.take(reader.bytes(Int(reader.byte() & 0x1f))) }
  }

  private static let fresh = BoardChoice.tables.map { CodecCheck($0) }

  private init(_ modules: ModuleTable) {
    self.modules = modules
    streams = StreamCheck(modules)
    log = LogCheck(revision: modules[.logging]?.revision ?? 0)
  }

  private mutating func take(_ packet: [UInt8]) {
    CommandCheck(modules: modules).take(packet)
    streams.take(packet)
    checkConfigurations(packet)
    checkLayouts(packet)
    do throws(DecodeError) {
      take(try Notification(decoding: packet.span, from: modules))
    } catch {
      check(error, of: packet)
    }
  }

  // MARK: Notifications

  private mutating func take(_ notification: Notification) {
    log.take(notification)
    switch notification {
    case .moduleInfo(let module, let info) where modules[module] != info && changesLeft > 0:
      changesLeft -= 1
      modules[module] = info
      streams = StreamCheck(modules)
      _ = modules.chips
      _ = Model(number: "5", modules: modules)
    case .logTrigger(let source?): CommandCheck.check(source)
    case .processorDescription(let source, let function):
      CommandCheck.check(source)
      if let function { CommandCheck.check(function) }
    case .fusion(let output): check(output)
    default: break
    }
  }

  /// Checks that an error's details match its packet.
  private func check(_ error: DecodeError, of packet: [UInt8]) {
    switch error {
    case .truncated(let expected, let found):
      hold(found == packet.count && expected > found, "a truncated packet is shorter than expected")
      hold(!isTruncated(packet, at: expected), "the requested number of bytes is enough")
      hold(isTruncated(packet, at: expected - 1), "one byte fewer is not enough")
    case .unknownCode(let code, let offset):
      hold(packet.indices.contains(offset), "a code is within its packet")
      // Some codes use only part of their byte.
      hold(packet[offset] & code == code, "the code matches the packet")
    case .notFinite(let offset):
      hold(offset + 4 <= packet.count, "a number is within its packet")
      let number = Float(bitPattern: packet.span.uint32(at: offset))
      hold(!number.isFinite, "only non-finite numbers are rejected")
    case .otherPacket:
      hold(false, "a notification is not rejected because of its register")
    }
  }

  private func isTruncated(_ packet: [UInt8], at length: Int) -> Bool {
    let filled = packet + [UInt8](repeating: 0, count: length - packet.count)
    do throws(DecodeError) {
      _ = try Notification(decoding: filled.span, from: modules)
      return false
    } catch {
      if case .truncated = error { return true }
      return false
    }
  }

  private func check(_ output: SensorFusion.Output) {
    let numbers: [Float] =
      switch output {
      case .correctedAcceleration(let vector, _), .correctedAngularVelocity(let vector, _),
        .correctedMagneticField(let vector, _), .gravity(let vector),
        .linearAcceleration(let vector):
        [vector.x, vector.y, vector.z]
      case .quaternion(let rotation): [rotation.w, rotation.x, rotation.y, rotation.z]
      case .eulerAngles(let angles): [angles.heading, angles.pitch, angles.roll, angles.yaw]
      }
    hold(numbers.allSatisfy(\.isFinite), "the output of sensor fusion is finite")
  }

  // MARK: Replies that are read separately

  private func checkConfigurations(_ packet: [UInt8]) {
    for sensor in modules.motionSensors {
      guard let found = try? sensor.configuration(decoding: packet.span) else { continue }
      var reply = sensor.configure(found).bytes
      reply[1] |= 0x80
      let again = try? sensor.configuration(decoding: reply.span)
      hold(again == found, "a decoded configuration encodes to the same bytes")
    }
  }

  private static let layouts = ProcessorLayout.Element.allCases.flatMap { element in
    [0, 1, 4].map { stampLength in
      ProcessorLayout(element: element, stampLength: stampLength, isPacked: stampLength != 1)
    }
  }

  private func checkLayouts(_ packet: [UInt8]) {
    for layout in Self.layouts {
      guard let samples = try? layout.samples(logged: packet.span) else { continue }
      let length = layout.stampLength + layout.element.length
      hold(!samples.isEmpty, "a readable packet contains a sample")
      hold(samples.count * length <= packet.count, "samples do not extend beyond the packet")
      hold(
        samples.allSatisfy { ($0.stamp == nil) == (layout.stampLength == 0) },
        "samples have timestamps if and only if the layout includes them")
    }
  }
}
