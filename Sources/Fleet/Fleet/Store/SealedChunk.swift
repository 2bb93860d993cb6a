internal import Coding
internal import LinuxSystem
internal import Recording
internal import Values

/// A chunk of a sealed session. Its bytes are stored in an object.
struct SealedChunk {
  var id: UniqueID
  /// The name of the object that contains the chunk.
  var object: String
  var range: Range<Int>
  /// The chunk's hash according to the database.
  var hash: [UInt8]
  /// The object store; `nil` if none is configured for this program.
  var objects: ObjectStore?

  func bytes() async throws(StoreError) -> [UInt8] {
    try checked(await read(range))
  }

  func read(_ range: Range<Int>) async throws(StoreError) -> [UInt8] {
    guard let objects else {
      throw StoreError(
        .cannotOpen,
        "chunk \(id) is in the object \(object), but this upload server has no '--objects'",
        remedy: "start it with the '--objects' of the upload server that sealed the chunk")
    }
    do throws(ObjectStoreError) {
      return try await objects.read(object, .bytes(range)).bytes
    } catch {
      let kind: StoreError.Kind =
        switch error.kind {
        case .missing, .tooShort: .damaged
        case .unavailable, .unknownOutcome: .busy
        case .refused, .foreign, .exists: .other
        }
      throw StoreError(kind, "cannot read chunk \(id): \(error.message)", remedy: error.remedy)
    }
  }

  /// Returns the bytes if they match the chunk's hash, and throws otherwise.
  func checked(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
    guard SHA256.hash(of: bytes) == hash else {
      throw StoreError(
        .damaged, "chunk \(id) is damaged in the object \(object)",
        remedy: "restore the object from a backup")
    }
    return bytes
  }
}

/// A chunk in a fleet. Its bytes are in the database or in an object.
enum FleetChunk {
  /// Bytes from the database that have already been checked against the hash.
  case bytes([UInt8])
  case sealed(SealedChunk)

  /// Blocks this thread until the bytes arrive, then returns them.
  func waited() throws(StoreError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .sealed(let chunk): return try OnItsWay { await chunk.result() }.waited().get()
    }
  }

  /// The chunk in a form suitable for callers that must not block while an object is being read.
  var held: HeldChunk {
    switch self {
    case .bytes(let bytes): .sound(bytes)
    case .sealed(let chunk): .elsewhere { await chunk.result() }
    }
  }
}

extension SealedChunk {
  func result() async -> Result<[UInt8], StoreError> {
    do throws(StoreError) {
      return .success(try await bytes())
    } catch {
      return .failure(error)
    }
  }
}
