internal import Glibc

/// The serial speeds of GPS receivers, in bits per second.
public enum SerialSpeed: Int, CaseIterable, Sendable {
  /// The speed specified by the NMEA standard, and the default of old SiRF units.
  case baud4800 = 4_800
  /// The default of most GPS receivers.
  case baud9600 = 9_600
  /// Used by few receivers.
  case baud19200 = 19_200
  /// The default of newer u-blox units.
  case baud38400 = 38_400
  /// Fast enough for ten fixes per second.
  case baud57600 = 57_600
  /// The default speed of cellular modems.
  case baud115200 = 115_200
  /// Used for raw measurements.
  case baud230400 = 230_400
  /// Used for raw measurements at high rates.
  case baud460800 = 460_800
  /// The highest speed that common USB bridges support.
  case baud921600 = 921_600

  /// Converts a kernel code to a speed. Returns `nil` if the speed is not one that GPS receivers
  /// use.
  init?(code: speed_t) {
    guard let speed = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = speed
  }

  var code: speed_t {
    switch self {
    case .baud4800: speed_t(B4800)
    case .baud9600: speed_t(B9600)
    case .baud19200: speed_t(B19200)
    case .baud38400: speed_t(B38400)
    case .baud57600: speed_t(B57600)
    case .baud115200: speed_t(B115200)
    case .baud230400: speed_t(B230400)
    case .baud460800: speed_t(B460800)
    case .baud921600: speed_t(B921600)
    }
  }
}
