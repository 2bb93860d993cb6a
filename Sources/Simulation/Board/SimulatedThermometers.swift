import MetaWearProtocol

/// A simulated board's temperature channels.
struct SimulatedThermometers: Sendable {
  /// The pins of external thermistors, by channel.
  var thermistors: [UInt8: ClosedRange<UInt8>] = [:]
}

extension SimulatedBoard {
  mutating func obey(_ command: Temperature) {
    let drivers = (model.modules[.temperature]?.extra ?? []).map(Temperature.Driver.init)
    switch command {
    case .read(let channel, _):
      guard drivers.indices.contains(Int(channel)) else {
        complain("there is no such temperature channel")
        return
      }
      let counts = celsius(drivers[Int(channel)], channel) * Temperature.countsPerDegree
      let value = Int16(min(max(-32_768, counts.rounded()), 32_767))
      answer(command.command.header, index: channel, value.littleEndianBytes)
    case .externalThermistor(let channel, let dataPin, let pulldownPin, _):
      let pins = min(dataPin, pulldownPin)...max(dataPin, pulldownPin)
      if !drivers.indices.contains(Int(channel))
        || drivers[Int(channel)] != .externalThermistor
      {
        complain("this temperature channel is not an external thermistor")
      } else if !hasPin(pins.upperBound) || dataPin == pulldownPin {
        complain("a thermistor needs two pins of the board")
      } else {
        state.thermometers.thermistors[channel] = pins
      }
    }
  }

  /// Returns the temperature on a channel; 0 for a sensor that is missing or not measuring.
  private func celsius(_ driver: Temperature.Driver?, _ channel: UInt8) -> Double {
    switch driver {
    // The die heats itself and slightly warms the board.
    case .processorDie: surroundings.celsius + 8
    case .boardThermistor: surroundings.celsius + 5.75
    case .externalThermistor:
      state.thermometers.thermistors[channel] == nil ? 0 : surroundings.celsius
    // The temperature comes from the barometer's last measurement.
    case .barometer: state.barometer?.celsius ?? 0
    case nil: 0
    }
  }
}
