internal import Gateway
internal import LinuxSystem
internal import Terminal

extension StoreLocation {
  /// Returns the path of the store that the configuration in use names; `nil` if there is no
  /// configuration.
  ///
  /// Faults in the configuration are ignored if the file names the store. Otherwise they are
  /// thrown, because the command could choose a store that the gateway does not use.
  func configured() throws(Complaint) -> String? {
    guard !isSimulated else { return nil }
    let reading = try configuration.reading()
    guard Folder.exists(configuration.path) else { return nil }
    let place = ConfigurationReading.Place(section: .store, key: "path")
    if reading.lines[place] == nil || reading.faulty.contains(place),
      let faults = ConfigurationFaults(reading.faults)
    {
      throw faults.complaint
    }
    return reading.configuration.store
  }

  /// Returns the socket of the gateway that uses this store; `nil` if the gateway uses another
  /// store or has no socket.
  func gatewaySocket() throws(Complaint) -> String? {
    guard try isConfigured() else { return nil }
    return ConfigurationReading(configuration.path).configuration.statusSocket
  }
}
