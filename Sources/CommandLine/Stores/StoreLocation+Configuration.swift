internal import Gateway
internal import LinuxSystem
internal import Terminal

extension StoreLocation {
  /// The store of the configuration in force; `nil` where there is no configuration.
  ///
  /// Faults do not matter if the file names the store. Otherwise the command would choose a store
  /// that the gateway does not use.
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

  /// The socket of the gateway that has this store; `nil` if the store is another one, or the
  /// gateway has no socket.
  func gatewaySocket() throws(Complaint) -> String? {
    guard try isConfigured() else { return nil }
    return ConfigurationReading(configuration.path).configuration.statusSocket
  }
}
