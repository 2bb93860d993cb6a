internal import Coding
internal import LinuxSystem
public import Values

/// The permanent name of this computer, under which it uploads without an account.
///
/// The name is a hash of the installation's machine id, which must stay secret (machine-id(5)). The
/// hash does not reveal the id. Two gateways with cloned cards share a name until one of them gets
/// its own machine id.
public enum GatewayIdentity {
  private static let path = "/etc/machine-id"

  /// The name of this computer.
  public static func read() throws(UploadError) -> UniqueID {
    guard let text = WholeFile.text(path), let machine = UniqueID(text.prefix(32)) else {
      throw UploadError(
        "cannot read \(path), which identifies this computer in uploads",
        remedy: "create it with 'systemd-machine-id-setup'")
    }
    return id(of: machine)
  }

  /// The name of the computer with this machine id.
  static func id(of machine: UniqueID) -> UniqueID {
    let hash = SHA256.hash(of: Array("footbridge gateway \(machine)".utf8))
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    // Version 8 of RFC 9562: a custom rule.
    return UniqueID(
      high: word(hash[0..<8]) & 0xffff_ffff_ffff_0fff | 0x8000,
      low: word(hash[8..<16]) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }
}
