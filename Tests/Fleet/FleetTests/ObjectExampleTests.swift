import Coding
import LinuxSystem
import Fleet
import TestSupport
import Testing
import Values

/// The example of the library's documentation.
@Suite(.realTime, .enabled(if: S3Server.isInstalled, S3Server.absence))
struct ObjectExampleTests {
  @Test func `the example of ObjectStore runs`() async throws {
    let server = try await S3Server.running()
    let address = try ObjectStoreAddress(server.url + S3Server.newPlace())
    let key = ObjectStoreKey(id: server.key, secret: server.secret)
    let file = try UnnamedFile()
    try file.append(Array("a walk".utf8))
    let hash = Hexadecimal.text(SHA256.hash(of: Array("a walk".utf8)))
    let store = try ObjectStore(address, region: "us-east-1", key: key)
    try await store.put(file, hash: hash, as: "sessions/1")
    let (bytes, size) = try await store.read("sessions/1", .last(4))
    #expect(String(decoding: bytes, as: UTF8.self) == "walk" && size == 6)
  }
}
