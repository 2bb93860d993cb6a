internal import CCurl

extension HTTPClient {
  /// The versions of libcurl and of the libraries that it uses, such as `libcurl/7.88.1
  /// OpenSSL/3.0.17 zlib/1.2.13`.
  public static var versionOfLibrary: String {
    // Safety: the library owns the string and never frees it.
    unsafe String(cString: curl_version())
  }
}
