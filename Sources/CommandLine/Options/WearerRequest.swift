internal import LinuxSystem
internal import Simulation
internal import Terminal

/// The wearer of the simulated boards, as typed by the user.
public enum WearerRequest: Hashable, Sendable {
  /// The boards lie still, without a wearer.
  case still
  case walking
  case running
  /// A wearer who walks and falls.
  case falling
  /// The motion recorded in a file.
  case file(String)

  /// The words for kinds of motion that need no file.
  static let words = ["still", "walking", "running", "falling"]

  /// Parses a word, or else a path. Returns `nil` for empty text.
  public init?(_ text: String) {
    switch text {
    case "": return nil
    case "still": self = .still
    case "walking": self = .walking
    case "running": self = .running
    case "falling": self = .falling
    default: self = .file(text)
    }
  }

  /// Seconds from the simulation's start to the fall.
  private static let fallTime = 10.0
  /// The maximum file size in bytes: enough for an hour of all signals at 1,600 Hz.
  private static let maximumBytes = 1 << 29

  /// Returns the wearer for the simulation. Reads the file, if one is given.
  func kind() throws -> WearerKind {
    switch self {
    case .still: return .still
    case .walking: return .walking
    case .running: return .running
    case .falling: return .falling(at: Self.fallTime)
    case .file(let path):
      let text = try Self.read(path)
      do throws(RecordingError) {
        return .recorded(try RecordedWearer(text))
      } catch {
        throw Complaint(
          "\(path) is not a recorded motion: \(error)",
          remedy: """
            give a file with lines of time,ax,ay,az,gx,gy,gz in s, g and deg/s,
            or an export of footbridge
            """)
      }
    }
  }

  private static func read(_ path: String) throws(Complaint) -> String {
    let bytes: [UInt8]
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnly)
      bytes = try file.readAll(of: path, upTo: maximumBytes)
    } catch {
      throw Complaint(
        error.message,
        remedy: "use \(words.joined(separator: ", ")), or the path of a CSV file")
    }
    guard bytes.count <= maximumBytes else {
      throw Complaint(
        "\(path) is too large for a recorded motion", remedy: "give a file smaller than 512 MB")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
