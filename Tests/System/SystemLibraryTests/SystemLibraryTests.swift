import CBluetooth
import CCurl
import CDBus
import CSQLite
import TestSupport
import Testing

/// Checks that the C libraries are installed, can be linked, and are at least as new as those of
/// Debian 12.
@Suite(.computation) struct SystemLibraryTests {
  @Test func `the installed SQLite is at least 3.40 and thread-safe`() {
    #expect(sqlite3_libversion_number() >= 3_040_000)
    #expect(sqlite3_threadsafe() != 0)
  }

  @Test func `the installed libdbus is at least 1.14`() {
    var major: Int32 = 0
    var minor: Int32 = 0
    var micro: Int32 = 0
    unsafe dbus_get_version(&major, &minor, &micro)
    #expect((major, minor) >= (1, 14))
  }

  @Test func `the installed libcurl supports HTTPS`() {
    let parts = unsafe curl_version().map { unsafe String(cString: $0) } ?? ""
    #expect(parts.contains("OpenSSL/") || parts.contains("GnuTLS/"), "\(parts)")
  }

  @Test func `the installed libbluetooth parses and formats addresses`() {
    var address = bdaddr_t()
    unsafe str2ba("C8:4B:AA:97:50:05", &address)
    var text = [CChar](repeating: 0, count: 18)
    unsafe ba2str(&address, &text)
    let written = String(decoding: text.prefix(17).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #expect(written == "C8:4B:AA:97:50:05")
  }
}
