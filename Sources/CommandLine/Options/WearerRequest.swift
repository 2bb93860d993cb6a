internal import LinuxSystem
internal import Simulation
internal import Terminal

/// The wearer of the simulated boards as asked for on the command line.
public enum WearerRequest: Hashable, Sendable {
  /// Nobody.
  case still
  /// Somebody who walks.
  case walking
  /// Somebody who runs.
  case running
  /// Somebody who walks and falls.
  case falling
  /// Whoever moved so in a file.
  case file(String)

  /// The words for those that need no file.
  static let words = ["still", "walking", "running", "falling"]

  /// Reads a word or else a path; `nil` if it is empty.
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

  /// Seconds after the start at which somebody falls.
  private static let fallTime = 10.0
  /// The largest file that is read: an hour of everything at 1,600 Hz.
  private static let maximumBytes = 1 << 29

  /// The wearer for the simulation; reads the file, if it is one.
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
          "\(path) is no recorded motion: \(error)",
          remedy: """
            a recorded motion has lines of time,ax,ay,az,gx,gy,gz in s, g and deg/s,
            or is an export of footbridge
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
        remedy: "wearers are \(words.joined(separator: ", ")), or the path of a CSV file")
    }
    guard bytes.count <= maximumBytes else {
      throw Complaint(
        "\(path) is too long for a recorded motion", remedy: "give a file below 512 MB")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
