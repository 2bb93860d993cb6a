internal import MetaWearProtocol

/// Counts and stores packets that are neither responses nor requested samples.
extension BoardSession {
  mutating func noteMalformed(_ bytes: [UInt8]) {
    guard bytes.count <= Command.maximumLength else {
      diagnosis.note(.overlong, bytes)
      return
    }
    // Only the stream's decoder can identify the fault: without it, a processor's output is just
    // bytes.
    for stream in streams.map(\.stream) {
      var decoder = StreamDecoder(stream.setup.samples, layout: stream.layout)
      guard decoder?.claims(bytes.span) == true else { continue }
      var batch = SampleBatch()
      do throws(DecodeError) {
        try decoder?.decode(bytes.span, into: &batch)
      } catch {
        return diagnosis.note(error, bytes)
      }
    }
    diagnosis.note(.truncated, bytes)
  }

  mutating func noteUnexpected(_ notification: Notification, _ bytes: [UInt8]) {
    switch notification {
    case .other(let header, _):
      diagnosis.note(header.module == nil ? .unknownModule : .unknownRegister, bytes)
    case .moduleInfo(let module, let info) where info != modules[module]:
      diagnosis.note(.contradiction, bytes)
    case .sample, .packedSamples, .processorOutput, .pressure, .altitude, .illuminance, .fusion:
      diagnosis.note(.strayedSample, bytes)
    // The board may respond twice, or late, to a read of its sample count.
    case .processorState(let counter, _) where streams.contains { $0.counter == counter }: break
    default:
      diagnosis.note(.unasked, bytes)
    }
  }
}
