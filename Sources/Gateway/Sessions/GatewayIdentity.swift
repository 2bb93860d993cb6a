internal import Coding
internal import LinuxSystem
public import Values

/// This computer's permanent id, which identifies its uploads if it has no account.
///
/// The id is a hash of the installation's machine id, which must stay secret (machine-id(5)). The
/// hash does not reveal the machine id. Gateways with cloned memory cards share an id until each
/// has its own machine id.
public enum GatewayIdentity {
  private static let path = "/etc/machine-id"

  public static func read() throws(UploadError) -> UniqueID {
    guard let text = WholeFile.text(path), let machine = UniqueID(text.prefix(32)) else {
      throw UploadError(
        "cannot read \(path), which identifies this computer in uploads",
        remedy: "create it with 'systemd-machine-id-setup'")
    }
    return id(of: machine)
  }

  static func id(of machine: UniqueID) -> UniqueID {
    let hash = SHA256.hash(of: Array("footbridge gateway \(machine)".utf8))
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    // UUID version 8 (RFC 9562), for custom formats.
    return UniqueID(
      high: word(hash[0..<8]) & 0xffff_ffff_ffff_0fff | 0x8000,
      low: word(hash[8..<16]) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }
}
