internal import SQLite

extension StoreReader {
  /// The version of the SQLite library that this process uses, such as `3.40.1`.
  public static var versionOfLibrary: String { Database.libraryVersion }
}
