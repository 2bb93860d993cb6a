public import DBus

/// Stores the daemon's objects, as last reported: path → interface → property → value.
///
/// This value type is built from one listing of the objects and then updated by signals.
public struct ObjectTree: Sendable {
  /// One object's interfaces, each with its properties.
  public typealias Interfaces = [String: [String: BusValue]]

  public private(set) var objects: [String: Interfaces] = [:]

  public init() {}

  /// Replaces all objects with the reply to `GetManagedObjects` (`a{oa{sa{sv}}}`).
  public mutating func replace(with listing: BusValue) {
    objects = (listing.properties ?? [:]).mapValues(Self.interfaces)
  }

  public mutating func removeAll() {
    objects.removeAll()
  }

  /// Applies a signal. Returns `true` if the signal concerned the tree.
  public mutating func apply(_ signal: BusSignal) -> Bool {
    switch (signal.interface, signal.member) {
    case (BlueZName.objectManager, "InterfacesAdded"):
      guard let path = signal.arguments.first?.text, signal.arguments.count >= 2 else {
        return false
      }
      objects[path, default: [:]].merge(Self.interfaces(signal.arguments[1])) { $1 }
    case (BlueZName.objectManager, "InterfacesRemoved"):
      // `InterfacesRemoved` removes individual interfaces, for example whenever a device
      // disconnects. An object is removed together with its last interface.
      guard let path = signal.arguments.first?.text, signal.arguments.count >= 2 else {
        return false
      }
      for interface in signal.arguments[1].texts ?? [] { objects[path]?[interface] = nil }
      if objects[path]?.isEmpty == true { objects[path] = nil }
    case (BlueZName.properties, "PropertiesChanged"):
      guard let interface = signal.arguments.first?.text, signal.arguments.count >= 3,
        objects[signal.path]?[interface] != nil
      else { return false }
      let changed = signal.arguments[1].properties ?? [:]
      objects[signal.path]?[interface]?.merge(changed) { $1 }
      // A property reported as invalidated is removed, not set to an empty value.
      for name in signal.arguments[2].texts ?? [] {
        objects[signal.path]?[interface]?[name] = nil
      }
    default:
      return false
    }
    return true
  }

  public func properties(_ interface: String, of path: String) -> [String: BusValue]? {
    objects[path]?[interface]
  }

  private static func interfaces(_ value: BusValue) -> Interfaces {
    (value.properties ?? [:]).mapValues { $0.properties ?? [:] }
  }
}
