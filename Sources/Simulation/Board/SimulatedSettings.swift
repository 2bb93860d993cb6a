import MetaWearProtocol
import Values

/// A simulated board's name, advertising and link parameters, in the format that a read returns. A
/// reset restores the initial values.
struct SimulatedSettings: Sendable {
  /// The transmit power levels that the radio supports, in dBm.
  static let powers: [Int8] = [4, 0, -4, -8, -12, -16, -20, -30]

  var name: [UInt8]
  /// The name currently advertised. A new name appears when advertising next starts.
  var shownName: [UInt8]
  /// Interval, timeout and, on newer modules, type.
  var advertising: [UInt8]
  var shownTimeout: UInt8 = 0
  var sentPower: Int8 = 0
  var scanResponse: [UInt8] = []
  /// The first part of a long scan response, kept until the rest arrives.
  var scanResponseStart: [UInt8] = []
  // Until the client requests other values, the connection interval is 30 to 50 ms and the timeout
  // is 4 s.
  var connectionParameters: [UInt8] = [24, 0, 40, 0, 0, 0, 0x90, 0x01]
  var whitelistMode = Settings.WhitelistMode.open
  /// The type and address in each slot, in the format that a read returns.
  var whitelist: [UInt8: [UInt8]] = [:]
  var hasThreeVolts = false
  var isForcedToSlowLink = false

  init(model: BoardModel) {
    name = Array(model.advertisedName.utf8)
    shownName = name
    // The advertising interval is 417.5 ms, encoded in the unit of the module's revision: 0.625 ms,
    // or whole milliseconds at revision 0. Advertising never stops, and any central can connect.
    let revision = model.modules[.settings]?.revision ?? 0
    let interval: UInt16 = revision == 0 ? 417 : 668
    advertising = interval.littleEndianBytes + [0] + (revision >= 6 ? [0] : [])
  }

  /// Returns the supported power level that is closest to the requested one.
  static func nearestPower(_ dBm: Int8) -> Int8 {
    powers.min { abs(Int($0) - Int(dBm)) < abs(Int($1) - Int(dBm)) } ?? 0
  }

  mutating func startAdvertising() {
    shownName = name
    shownTimeout = advertising[2]
  }
}

extension SimulatedBoard {
  public var advertisedName: String {
    mode == .bootloader ? "MetaBoot" : String(decoding: state.settings.shownName, as: UTF8.self)
  }

  /// The board's response to an active scan.
  public var scanResponse: [UInt8] { state.settings.scanResponse }

  /// Whether the board supplies its sensors with 3 V.
  public var hasThreeVolts: Bool { state.settings.hasThreeVolts }

  /// Returns whether this bit, which indicates an optional feature, is set in the module info.
  func hasSettingsFeature(_ bit: UInt8) -> Bool {
    (model.modules[.settings]?.extra.first ?? 0) >> bit & 1 != 0
  }

  mutating func obey(_ command: Settings) {
    if let fault = fault(of: command) {
      complain(fault)
      return
    }
    let payload = command.command.payload
    switch command {
    case .name(let bytes): state.settings.name = bytes
    case .advertising: state.settings.advertising = payload
    case .sentPower(let dBm): state.settings.sentPower = SimulatedSettings.nearestPower(dBm)
    case .startAdvertising: state.settings.startAdvertising()
    case .scanResponseStart(let bytes): state.settings.scanResponseStart = bytes
    case .scanResponse(let bytes):
      state.settings.scanResponse = state.settings.scanResponseStart + bytes
      state.settings.scanResponseStart = []
    case .link: state.settings.connectionParameters = payload
    case .whitelistMode(let mode): state.settings.whitelistMode = mode
    case .whitelist(let index, _, _): state.settings.whitelist[index] = Array(payload[1...])
    case .threeVolts(let isOn): state.settings.hasThreeVolts = isOn
    case .slowPhysicalLayer(let isForced): state.settings.isForcedToSlowLink = isForced
    }
  }

  /// Reports a change in the battery, power or charge state, if the board has this signal.
  mutating func tellSettings(_ signal: Signal) {
    if let value = settingsValue(signal), absence(of: signal) == nil { tell(signal, value) }
  }

  /// Reads a slot of the whitelist. Returns `false` for any other command.
  mutating func readWhitelist(_ command: Command) -> Bool {
    let header = command.header
    guard header.module == .settings, header.register == 0x14, header.isRead,
      command.payload.count == 1
    else { return false }
    let place = command.payload[0]
    if !model.modules.has(.settings, revision: 6) {
      complain("this command needs revision 6 of module settings")
    } else if let entry = state.settings.whitelist[place] {
      answer(header, index: place, entry)
    } else {
      complain("the whitelist has no entry at this index")
    }
    return true
  }

  func settingsValue(_ signal: Signal) -> [UInt8]? {
    let settings = state.settings
    switch signal {
    case .name: return settings.name
    case .advertising: return settings.advertising
    case .sentPower: return [UInt8(bitPattern: settings.sentPower)]
    case .scanResponse: return settings.scanResponse
    case .connectionParameters: return settings.connectionParameters
    case .mac:
      // Type (random static) and the address, least significant byte first.
      return [1] + address.value.littleEndianBytes.prefix(6)
    case .battery: return [battery.percent] + battery.millivolts.littleEndianBytes
    case .powerStatus: return [isPowered ? 1 : 0]
    case .chargeStatus: return [isCharging ? 1 : 0]
    default: return nil
    }
  }

  /// Returns the reason why the board rejects a setting; `nil` if it accepts the setting.
  private func fault(of command: Settings) -> String? {
    let needed: UInt8 =
      switch command {
      case .link: 1
      case .whitelistMode, .whitelist: 6
      case .threeVolts: 9
      case .slowPhysicalLayer: 10
      default: 0
      }
    guard model.modules.has(.settings, revision: needed) else {
      return "this command needs revision \(needed) of module settings"
    }
    switch command {
    case .name(let bytes):
      let letters = bytes.map { Character(UnicodeScalar($0)) }
      let areAllowed = letters.allSatisfy { letter in
        letter.isASCII && (letter.isLetter || letter.isNumber || "_- ".contains(letter))
      }
      return areAllowed ? nil : "a name may contain only letters, digits, _, - and spaces"
    case .advertising(let advertising):
      return fault(of: advertising)
    case .link(let parameters): return fault(of: parameters)
    case .scanResponse(let bytes):
      let count = state.settings.scanResponseStart.count + bytes.count
      return count > 31 ? "a scan response may have at most 31 bytes" : nil
    case .scanResponseStart(let bytes):
      return bytes.count == 13 ? nil : "the first part of a scan response must have 13 bytes"
    case .whitelist(let index, _, _): return index > 8 ? "the whitelist has entries 0 to 8" : nil
    case .threeVolts: return hasSettingsFeature(2) ? nil : "this board has no 3-V supply"
    default: return nil
    }
  }

  private func fault(of advertising: Advertising) -> String? {
    let revision = model.modules[.settings]?.revision ?? 0
    if (advertising.type != nil) != (revision >= 6) {
      return "an advertising type is required from revision 6 of module settings on, "
        + "but not allowed before"
    }
    if let type = advertising.type, type > 1 { return "the advertising type must be 0 or 1" }
    if advertising.type == 1, state.settings.whitelist[0] == nil {
      return "directed advertising needs a target in entry 0 of the whitelist"
    }
    // These limits come from the Bluetooth specification.
    let milliseconds = advertising.intervalMilliseconds(revision: revision)
    return (20...10_240).contains(milliseconds)
      ? nil : "the advertising interval must be 20 to 10,240 ms"
  }

  private func fault(of parameters: ConnectionParameters) -> String? {
    // The Bluetooth specification defines these limits. The timeout must be longer than the
    // intervals that the link may skip.
    let interval = Double(parameters.maximumInterval) * ConnectionParameters.intervalMilliseconds
    let timeout = Double(parameters.timeout) * ConnectionParameters.timeoutMilliseconds
    let isValid =
      (6...3_200).contains(parameters.minimumInterval)
      && (parameters.minimumInterval...3_200).contains(parameters.maximumInterval)
      && parameters.latency < 500 && (100...32_000).contains(timeout)
      && timeout > 2 * interval * Double(1 + parameters.latency)
    return isValid ? nil : "no central can accept these link parameters"
  }
}
