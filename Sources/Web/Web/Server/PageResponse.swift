internal import HTTPServer
internal import Values

/// Responses in the format specified in `docs/api.openapi.yaml`.
enum PageResponse {
  static func json(_ value: JSONValue, status: Int = 200) -> ServerResponse {
    bytes(Array(value.text.utf8), "application/json", status: status)
  }

  static func bytes(_ bytes: [UInt8], _ kind: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status,
      fields: [RequestHead.Field("Content-Type", kind)], body: bytes)
  }

  static func fault(_ fault: PageFault) -> ServerResponse {
    var response = json(
      [
        "error": fault.message.json, "remedy": fault.remedy.json,
        "phone": PhoneWords.json(fault.message, fault.remedy),
      ], status: fault.status)
    if let seconds = fault.seconds {
      response.fields.append(RequestHead.Field("Retry-After", "\(seconds)"))
    }
    if let allowed = fault.allowed {
      response.fields.append(RequestHead.Field("Allow", allowed))
    }
    return response
  }

  /// The response that begins a stream of server-sent events.
  static var events: ServerResponse {
    ServerResponse(
      200,
      fields: [RequestHead.Field("Content-Type", "text/event-stream")])
  }

  /// Returns the response that begins a file download. The name must not contain characters that
  /// are invalid in a header.
  static func download(_ name: String, _ kind: String) -> ServerResponse {
    ServerResponse(
      200,
      fields: [
        RequestHead.Field("Content-Type", kind),
        RequestHead.Field("Content-Disposition", "attachment; filename=\"\(name)\""),
      ])
  }
}
