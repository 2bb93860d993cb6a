internal import LinuxSystem

extension StoreLocation {
  /// Path of the store that is named, or else of the one that a configuration file means, if there
  /// is such a file.
  func path(or configuration: ConfigurationReading) throws(Complaint) -> String {
    guard given == nil, Folder.exists(configuration.file) else { return try path() }
    return configuration.configuration.store
  }
}
