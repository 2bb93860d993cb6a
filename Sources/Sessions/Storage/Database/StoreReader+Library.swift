internal import CSQLite

extension StoreReader {
  /// The version of the SQLite library that this process uses, such as `3.40.1`.
  public static var versionOfLibrary: String {
    // Safety: the text is a constant of the library.
    unsafe String(cString: sqlite3_libversion())
  }
}
