internal import UploadProtocol
internal import LinuxSystem
internal import Recording
internal import Storage

/// Uploads chunks with Python's `requests` library: one HTTP session, one chunk per request.
final class UploadPeer {
  /// The Python environment that `.ci/setup --tests` installs, which includes `requests`.
  private static let python = ".build/test-environment/bin/python"

  private let folder: TemporaryFolder
  private let count: Int

  /// Writes the script and a walk's first chunks; throws if Python is missing.
  init(_ walk: UploadWalk, chunks count: Int) throws {
    guard (try? OwnedDescriptor.open(Self.python, flags: OwnedDescriptor.readOnly)) != nil else {
      throw MeasurementError("\(Self.python) was not found: run bash .ci/setup --tests")
    }
    folder = try TemporaryFolder(prefix: "footbridge-bench")
    self.count = min(count, walk.chunks.count)
    let reader = try StoreReader(path: walk.path)
    let parts = try walk.chunks.prefix(self.count).map {
      ChunkBatch.Part(id: $0, bytes: try reader.bytes(ofChunk: $0))
    }
    try write(Array(Self.script.utf8), to: "send.py")
    try write(ChunkBatch.body(of: parts), to: "chunks")
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    let file = try OwnedDescriptor.create(folder.path + "/" + name)
    guard file.write(bytes) == bytes.count else {
      throw MeasurementError("there is no space in \(folder.path)")
    }
  }

  /// Uploads the chunks and returns the processor time per chunk in seconds, excluding Python's
  /// start-up.
  func processorSeconds(to receiver: UploadReceiver) throws -> Double {
    let process = try MeasuredProcess(
      Self.python, [folder.path + "/send.py", receiver.url, folder.path + "/chunks"])
    withExtendedLifetime(receiver) {}
    let words = process.line.split(separator: " ")
    guard words.count == 2, Int(words[0]) == count, let seconds = Double(words[1]) else {
      throw MeasurementError("Python did not send its chunks")
    }
    return seconds / Double(count)
  }

  /// For each chunk, the script does only what the protocol requires, and does not look for a
  /// proxy.
  private static let script = """
    import base64
    import hashlib
    import struct
    import sys
    import time
    import uuid

    import requests

    url, path = sys.argv[1:]
    body = open(path, "rb").read()
    chunks = []
    place = 0
    while place < len(body):
        name = uuid.UUID(bytes=body[place : place + 16])
        (length,) = struct.unpack_from("<I", body, place + 16)
        chunks.append((str(name), body[place + 20 : place + 20 + length]))
        place += 20 + length
    session = requests.Session()
    session.trust_env = False
    start = time.process_time()
    for name, chunk in chunks:
        digest = base64.b64encode(hashlib.sha256(chunk).digest()).decode()
        answer = session.put(
            url + "/v1/chunks/" + name, data=chunk, timeout=60,
            headers={"Content-Digest": "sha-256=:" + digest + ":"})
        assert answer.status_code == 201, answer.text
        assert answer.json()["status"] == "stored"
    print(len(chunks), time.process_time() - start)

    """
}
