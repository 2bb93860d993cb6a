import MetaWearProtocol

/// A simulated board's iBeacon settings.
public struct SimulatedIBeacon: Hashable, Sendable {
  /// Whether the board advertises as an iBeacon.
  public fileprivate(set) var isOn = false
  /// The identifier's sixteen bytes, as written.
  public fileprivate(set) var identifier = [UInt8](repeating: 0, count: 16)
  public fileprivate(set) var major: UInt16 = 0
  public fileprivate(set) var minor: UInt16 = 0
  /// The expected signal strength at a distance of one metre, in dBm.
  public fileprivate(set) var receivedPower: Int8 = -55
  /// The transmit power in dBm.
  public fileprivate(set) var sentPower: Int8 = 0
  public fileprivate(set) var periodMilliseconds: UInt16 = 700
}

extension SimulatedBoard {
  public var iBeacon: SimulatedIBeacon { state.beacon }

  mutating func obey(_ command: IBeacon) {
    switch command {
    case .enable(let isOn):
      if isOn, state.beacon.identifier.allSatisfy({ $0 == 0 }) {
        complain("an iBeacon needs an identifier before it starts")
      }
      state.beacon.isOn = isOn
    case .identifier(let bytes): state.beacon.identifier = bytes
    case .major(let value): state.beacon.major = value
    case .minor(let value): state.beacon.minor = value
    case .receivedPower(let dBm): state.beacon.receivedPower = dBm
    case .sentPower(let dBm): state.beacon.sentPower = SimulatedSettings.nearestPower(dBm)
    case .period(let milliseconds):
      if milliseconds < 100 {
        complain("an iBeacon cannot advertise more often than every 100 ms")
        return
      }
      state.beacon.periodMilliseconds = milliseconds
    }
  }
}
