internal import Values

extension DeviceList {
  private static let version = 1

  /// The device file's contents: one object, with one line per device.
  var text: String {
    let lines = devices.map { device in
      JSONValue.object([
        .init("token", device.mark.text), .init("name", device.name),
        .init("role", device.role.rawValue), .init("paired", Self.time(device.paired)),
        .init("seen", Self.time(device.seen)),
      ]).text
    }
    let list = lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]"
    return "{\"version\":\(Self.version),\"devices\":\(list)}\n"
  }

  /// Parses the file's contents. If any part is invalid, the whole file is rejected, so that no
  /// device is paired by mistake.
  init(parsing text: [UInt8]) throws(DeviceFileFault) {
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: text)
    } catch {
      throw .damaged(error.description, kept: nil)
    }
    guard let version = json["version"]?.integer else {
      throw .damaged("it has no version", kept: nil)
    }
    guard version <= Self.version else { throw .newer }
    var devices: [PairedDevice] = []
    for (place, entry) in (json["devices"]?.list ?? [.null]).enumerated() {
      guard let device = Self.device(entry) else {
        throw .damaged("devices[\(place)] is invalid", kept: nil)
      }
      devices.append(device)
    }
    guard let list = DeviceList(devices) else {
      throw .damaged("it has too many devices, or repeats one", kept: nil)
    }
    self = list
  }

  private static func device(_ entry: JSON) -> PairedDevice? {
    guard let mark = entry["token"]?.text.flatMap({ DeviceMark($0) }),
      let name = entry["name"]?.text,
      let role = entry["role"]?.text.flatMap({ AccessRole(rawValue: $0) }),
      let paired = time(entry["paired"]), let seen = time(entry["seen"])
    else { return nil }
    return PairedDevice(mark, name: name, role: role, paired: paired, seen: seen)
  }

  private static func time(_ time: UTCTime?) -> JSONValue {
    (time?.iso8601(decimals: 0)).json
  }

  /// Parses a time or null. Returns `nil` for any other value.
  private static func time(_ json: JSON?) -> UTCTime?? {
    guard let json else { return .some(nil) }
    return json.text.flatMap { UTCTime(iso8601: $0) }.map { .some($0) }
  }
}
