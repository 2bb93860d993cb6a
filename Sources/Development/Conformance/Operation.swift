internal import MetaWearProtocol
internal import Recording

/// Creates the commands for the operation in a vector.
struct Operation {
  let vector: MetaWearVector
  var arguments: Arguments { vector.arguments }

  func commands() throws(Objection) -> [Command] {
    let parts = vector.operation.split(separator: ".", maxSplits: 1).map(String.init)
    switch vector.operation {
    case "discover":
      let modules = try arguments.integers("modules").map { UInt8(truncatingIfNeeded: $0) }
      let reads = modules.map { Command(PacketHeader(module: $0, registerByte: 0x80)) }
      // After the module infos, read the clock if the board has one.
      return reads + (modules.contains(ModuleID.logging.rawValue) ? [Logging.readTime] : [])
    case "factory_reset": return Debug.factoryReset
    case "teardown": return Debug.tearDown()
    default: break
    }
    guard parts.count == 2 else { return [try request()] }
    switch parts[0] {
    case "acc": return [try accelerometer(parts[1])]
    case "gyro": return [try gyroscope(parts[1])]
    case "mag": return try magnetometer(parts[1])
    case "fusion": return try fusion(parts[1])
    case "baro", "light", "color", "humidity", "proximity", "temp":
      return [try environment(vector.operation)]
    case "gpio", "led", "haptic", "ibeacon", "neopixel", "i2c", "spi":
      return [try output(vector.operation)]
    case "log": return try logging(parts[1])
    case "processor": return try processor(parts[1])
    case "event", "macro", "timer", "debug": return try onBoard(vector.operation)
    case "settings": return try settings(parts[1])
    default: throw unknown
    }
  }

  var unknown: Objection { .skipped("unknown operation \(vector.operation)") }

  // MARK: Signals

  private func request() throws(Objection) -> Command {
    let kinds: [String: SignalRequest.Kind] = [
      "subscribe": .subscribe, "unsubscribe": .unsubscribe, "read": .read,
      "read_silent": .readSilently,
    ]
    if vector.operation == "module_info" {
      return Command(PacketHeader(module: try arguments.byte("module"), registerByte: 0x80))
    }
    guard let kind = kinds[vector.operation] else { throw unknown }
    let name = try arguments.text("signal")
    if let command = try indexedRead(name, isSilent: kind == .readSilently) { return command }
    guard let signal = Signal(rawValue: name) else {
      throw .skipped("unknown signal \(name)")
    }
    guard let request = SignalRequest(kind, signal, on: vector.modules) else {
      throw .failed("\(name) does not support this kind of request")
    }
    return request.command
  }

  private func indexedRead(_ name: String, isSilent: Bool) throws(Objection) -> Command? {
    let quantities: [String: GPIO.Quantity] = [
      "gpio_analog_abs": .millivolts, "gpio_analog_adc": .ratio, "gpio_digital": .level,
    ]
    if name == "temperature" {
      return Temperature.read(channel: try arguments.byte("index"), isSilent: isSilent).command
    }
    guard let quantity = quantities[name] else { return nil }
    let options = GPIO.ReadOptions(
      pullUpPin: try arguments.byte("pullup", otherwise: 0xff),
      pullDownPin: try arguments.byte("pulldown", otherwise: 0xff),
      delaySteps: try arguments.byte("delay_us", otherwise: 0) / 4,
      virtualPin: try arguments.byte("virtual", otherwise: 0xff))
    let revision = vector.revision("gpio_rev", otherwise: Int(vector.revision(otherwise: 0)))
    let isAsked = ["pullup", "pulldown", "delay_us", "virtual"].contains { arguments.has($0) }
    let hasOptions = (revision >= 2 || isAsked) && quantity != .level
    return GPIO.read(
      quantity, pin: try arguments.byte("index"), hasOptions ? options : nil, isSilent: isSilent
    ).command
  }
}
