import MetaWearProtocol

/// The external connection to a simulated board's pin.
public enum PinInput: Hashable, Sendable {
  /// Nothing is connected: the board's pull resistors and outputs determine the level.
  case open
  /// The pin is connected to a voltage in millivolts.
  case millivolts(Int)
}

/// A simulated board's pins, as configured by a client.
struct SimulatedPins: Sendable {
  struct Pin: Sendable {
    /// The level that the board drives; `nil` if it does not drive the pin.
    var output: Bool?
    var pull = GPIO.Pull.none
    var edge = GPIO.Edge.off
    var isWatched = false
    /// The pin's level when it was last checked.
    var level = false
  }

  var pins: [Pin]

  init(count: Int) {
    pins = Array(repeating: Pin(), count: count)
  }
}

/// A pin's capabilities, as bits of the module info.
private struct PinAbilities: OptionSet {
  let rawValue: UInt8

  static let digital = PinAbilities(rawValue: 1)
  static let analogue = PinAbilities(rawValue: 2)
}

extension SimulatedBoard {
  /// Connects a pin to an input, or disconnects it. If the pin is watched, this may cause a
  /// notification.
  public mutating func setPin(_ pin: UInt8, to input: PinInput, at time: Double) {
    run(until: time)
    precondition(hasPin(pin), "the \(model) has no pin \(pin)")
    pinInputs[pin] = input
    look(at: pin)
  }

  /// Returns the voltage at a pin in millivolts.
  public func millivolts(atPin pin: UInt8) -> Int {
    precondition(hasPin(pin), "the \(model) has no pin \(pin)")
    let supply = model.supplyMillivolts
    if let isHigh = state.pins.pins[Int(pin)].output { return isHigh ? supply : 0 }
    if case .millivolts(let millivolts)? = pinInputs[pin] { return min(max(0, millivolts), supply) }
    return state.pins.pins[Int(pin)].pull == .up ? supply : 0
  }

  func hasPin(_ pin: UInt8) -> Bool {
    Int(pin) < state.pins.pins.count
  }

  mutating func obey(_ command: GPIO) {
    let pin = command.pin
    guard hasPin(pin) else {
      complain("there is no such pin")
      return
    }
    switch command {
    case .write(_, let isHigh): state.pins.pins[Int(pin)].output = isHigh
    case .pull(let pull, _):
      state.pins.pins[Int(pin)].output = nil
      state.pins.pins[Int(pin)].pull = pull
    case .edge(let edge, _): state.pins.pins[Int(pin)].edge = edge
    case .watch(_, let isOn):
      if isOn, state.pins.pins[Int(pin)].edge == .off {
        complain("set an edge before watching the pin")
      }
      state.pins.pins[Int(pin)].isWatched = isOn
    case .read(let quantity, _, let options, _):
      read(quantity, of: pin, options, command.command.header)
      return
    }
    look(at: pin)
  }

  private mutating func read(
    _ quantity: GPIO.Quantity, of pin: UInt8, _ options: GPIO.ReadOptions?, _ header: PacketHeader
  ) {
    let abilities = PinAbilities(rawValue: model.modules[.gpio]?.extra[Int(pin)] ?? 0)
    guard quantity != .level else {
      if abilities.contains(.digital) {
        answer(header, index: pin, [isHigh(pin) ? 1 : 0])
      } else {
        complain("the pin is not digital")
      }
      return
    }
    guard abilities.contains(.analogue) else {
      complain("the pin has no analogue input")
      return
    }
    guard (options != nil) == model.modules.has(.gpio, revision: 2) else {
      complain(
        options == nil
          ? "revision 2 of module gpio requires options for an analogue read"
          : "options for an analogue read require revision 2 of module gpio")
      return
    }
    let options = options ?? GPIO.ReadOptions()
    for other in [options.pullUpPin, options.pullDownPin]
    where other != GPIO.ReadOptions.noPin && !hasPin(other) {
      complain("the pin to pull does not exist")
      return
    }
    let supply = model.supplyMillivolts
    let millivolts =
      switch pin {
      case options.pullUpPin where pinInputs[pin] == nil: supply
      case options.pullDownPin where pinInputs[pin] == nil: 0
      default: millivolts(atPin: pin)
      }
    let value = quantity == .millivolts ? millivolts : millivolts * 1_023 / supply
    let index = options.virtualPin == GPIO.ReadOptions.noPin ? pin : options.virtualPin
    answer(header, index: index, UInt16(value).littleEndianBytes)
  }

  private func isHigh(_ pin: UInt8) -> Bool {
    millivolts(atPin: pin) * 2 > model.supplyMillivolts
  }

  /// Checks a pin and reports a change if the pin is watched.
  private mutating func look(at pin: UInt8) {
    let isHigh = isHigh(pin)
    let before = state.pins.pins[Int(pin)]
    state.pins.pins[Int(pin)].level = isHigh
    guard before.isWatched, isHigh != before.level else { return }
    switch before.edge {
    case .any: break
    case .rising where isHigh: break
    case .falling where !isHigh: break
    default: return
    }
    if isSubscribed(.pinChange) { send([0x05, 0x0a, pin, isHigh ? 1 : 0]) }
    let source = BoardSource(module: 0x05, register: 0x0a, index: pin)
    process(BoardValue(bytes: [isHigh ? 1 : 0], sampleCount: 0), from: source)
  }
}

extension GPIO {
  fileprivate var pin: UInt8 {
    switch self {
    case .write(let pin, _), .pull(_, let pin), .read(_, let pin, _, _), .edge(_, let pin),
      .watch(let pin, _):
      pin
    }
  }
}
