public import DBus

/// The daemon's objects as far as it reported them: path → interface → property → value.
///
/// A value type: built from one listing, updated by signals, and readable at any moment.
public struct ObjectTree: Sendable {
  /// Interfaces of one object, each with its properties.
  public typealias Interfaces = [String: [String: BusValue]]

  public private(set) var objects: [String: Interfaces] = [:]

  /// An empty tree.
  public init() {}

  /// Replaces all objects by the reply to `GetManagedObjects` (`a{oa{sa{sv}}}`).
  public mutating func replace(with listing: BusValue) {
    objects = (listing.properties ?? [:]).mapValues(Self.interfaces)
  }

  /// Forgets all objects, as when the daemon exits.
  public mutating func removeAll() {
    objects.removeAll()
  }

  /// Applies a signal; `true` if it concerned the tree.
  public mutating func apply(_ signal: BusSignal) -> Bool {
    switch (signal.interface, signal.member) {
    case (BlueZName.objectManager, "InterfacesAdded"):
      guard let path = signal.arguments.first?.text, signal.arguments.count >= 2 else {
        return false
      }
      objects[path, default: [:]].merge(Self.interfaces(signal.arguments[1])) { $1 }
    case (BlueZName.objectManager, "InterfacesRemoved"):
      // Arrives for single interfaces at every disconnect: the object is removed with its last one.
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
      // An invalidated property is removed, not empty.
      for name in signal.arguments[2].texts ?? [] {
        objects[signal.path]?[interface]?[name] = nil
      }
    default:
      return false
    }
    return true
  }

  /// Properties of one interface of one object.
  public func properties(_ interface: String, of path: String) -> [String: BusValue]? {
    objects[path]?[interface]
  }

  private static func interfaces(_ value: BusValue) -> Interfaces {
    (value.properties ?? [:]).mapValues { $0.properties ?? [:] }
  }
}
